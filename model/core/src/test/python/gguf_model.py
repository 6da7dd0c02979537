"""Whether a folder that was imported from a GGUF file has what transformers reads of the file itself.

gguf_model.py FILE FOLDER

Prints JSON: how many tensors were compared to the bit, in the type of FOLDER, and which differ; how many texts,
and which become other tokens; whether the chat template is the same.
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

file, folder = map(pathlib.Path, sys.argv[1:3])
whole = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
theirs = AutoModelForCausalLM.from_pretrained(**whole, dtype=torch.float32).state_dict()
ours = load_file(folder / "model.safetensors")
if "lm_head.weight" not in ours:
    theirs.pop("lm_head.weight", None)
different = sorted(
    name
    for name in theirs.keys() | ours.keys()
    if name not in theirs or name not in ours or not torch.equal(theirs[name].to(ours[name].dtype), ours[name])
)

TEXTS = [
    "a plain sentence.",
    "<|im_start|>user\nbuy 2 red  umbrellas, price < $20.50<|im_end|>",
    "l'été 12345678901 don't",
    "tabs\tand\n\nlines   ",
    "☂️ שלום 你好 नमस्ते",
]
own, read = AutoTokenizer.from_pretrained(folder), AutoTokenizer.from_pretrained(**whole)
otherwise = [text for text in TEXTS if own(text)["input_ids"] != read(text)["input_ids"]]
print(
    json.dumps(
        {
            "tensors": len(theirs),
            "different": different,
            "texts": len(TEXTS),
            "tokenizedOtherwise": otherwise,
            "template": own.chat_template == read.chat_template,
        }
    )
)
