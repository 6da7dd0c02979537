"""What transformers makes of conversations with a tokenizer's own chat template.

templates.py OUT FOLDER…

Copies the tokenizer of each FOLDER below OUT and adds `cases.json`: conversations that grow by a message each time, with and
without the beginning of the next answer, as text and as ids; and an episode of two answers, as the ids of the whole.
"""

import gzip
import json
import pathlib
import shutil
import sys

from transformers import AutoTokenizer

SYSTEM = {"role": "system", "content": "You shop.\n Answer <answer>…</answer>. "}
CONVERSATIONS = [
    [
        SYSTEM,
        {"role": "user", "content": "TASK: buy  a\tred umbrella ☂️\n\n"},
        {"role": "assistant", "content": "<answer>search red umbrella</answer>"},
        {"role": "user", "content": "Found 2 results: 812 Red Umbrella; 44 שלום"},
        {"role": "assistant", "content": " <answer>buy 812</answer> \n"},
        {"role": "user", "content": "Bought."},
    ],
    [
        {"role": "user", "content": "no system's message"},
        {"role": "assistant", "content": "<think>\nof what\n</think>\n\nan answer"},
        {"role": "user", "content": "  and 123456789 more  "},
    ],
]


EPISODE = {
    "system": "You shop.",
    "observations": ["buy a red umbrella, price < $20", "Found 2 results: 812 Red Umbrella ☂️; 44 שלום", "812: Red Umbrella"],
    "answers": ["<answer>search red umbrella</answer>", "<answer>click 812</answer>"],
}


def episode(tokenizer):
    messages = [{"role": "system", "content": EPISODE["system"]}]
    for observation, answer in zip(EPISODE["observations"], [*EPISODE["answers"], None]):
        messages.append({"role": "user", "content": observation})
        if answer:
            messages.append({"role": "assistant", "content": answer})
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    return EPISODE | {"ids": tokenizer(text, add_special_tokens=False)["input_ids"]}


def copy(source, out):
    out.mkdir(parents=True)
    for file in source.iterdir():
        if file.name.startswith(("tokenizer", "special_tokens", "chat_template")):
            if file.suffix == ".gz":
                (out / file.stem).write_bytes(gzip.open(file).read())
            else:
                shutil.copy(file, out)


def cases(tokenizer):
    for messages in CONVERSATIONS:
        for count in range(1, len(messages) + 1):
            own = messages[:count]
            if own[-1]["role"] == "system":
                continue
            for prompt in (False, True):
                text = tokenizer.apply_chat_template(own, tokenize=False, add_generation_prompt=prompt)
                ids = tokenizer(text, add_special_tokens=False)["input_ids"]
                yield {"messages": own, "add_generation_prompt": prompt, "text": text, "ids": ids}


for source in map(pathlib.Path, sys.argv[2:]):
    out = pathlib.Path(sys.argv[1]) / source.name
    copy(source, out)
    tokenizer = AutoTokenizer.from_pretrained(out)
    all = list(cases(tokenizer))
    (out / "cases.json").write_text(json.dumps({"chat": all, "encode": [], "episode": episode(tokenizer)}))
    print(len(all))
