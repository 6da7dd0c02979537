"""What transformers computes with models' folders.

score.py JOBS

JOBS is a JSON file, a list of {"folder": …, "adapter": … or null, "cases": [{"ids": […], "prompt": […], "count": n}]}.
Prints JSON, for each job: for each case the log-probabilities of ids[1:] and the greedy continuation of the prompt by n
tokens; and the keys that are missing in the folder's tensors or that the model has no use for. An adapter is put on the
model by peft.
"""

import json
import sys

import torch
import transformers
from transformers import AutoModelForCausalLM

transformers.utils.logging.disable_progress_bar()


def run(model, case):
    ids = torch.tensor([case["ids"]])
    logits = model(ids).logits[0, :-1].float()
    logprobs = torch.log_softmax(logits, -1).gather(-1, ids[0, 1:, None])[:, 0]
    out = model(torch.tensor([case["prompt"]]), use_cache=True)
    tokens = [out.logits[0, -1].argmax().item()]
    while len(tokens) < case["count"]:
        out = model(torch.tensor([tokens[-1:]]), past_key_values=out.past_key_values, use_cache=True)
        tokens.append(out.logits[0, -1].argmax().item())
    return {"logprobs": logprobs.tolist(), "greedy": tokens}


@torch.inference_mode()
def score(job):
    model, info = AutoModelForCausalLM.from_pretrained(job["folder"], dtype=torch.float32, output_loading_info=True)
    if job["adapter"]:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, job["adapter"])
    model.eval()
    return {
        "missing": sorted(info["missing_keys"]),
        "unexpected": sorted(info["unexpected_keys"]),
        "cases": [run(model, case) for case in job["cases"]],
    }


print(json.dumps([score(job) for job in json.load(open(sys.argv[1]))]))
