"""Adapters as peft writes them over one model, each with `expected.json`: ids and their log-probabilities.

adapters.py FOLDER OUT
"""

import json
import pathlib
import sys

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

FOLDER, OUT = sys.argv[1], pathlib.Path(sys.argv[2])
ATTENTION = ["q_proj", "v_proj"]
ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
ADAPTERS = {
    "rank-1": LoraConfig(r=1, lora_alpha=2, target_modules=ATTENTION),
    "rank-16-all": LoraConfig(r=16, lora_alpha=32, target_modules=ALL, lora_dropout=0.1),
    "all-linear": LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM"),
    "rslora": LoraConfig(r=16, lora_alpha=8, target_modules=ATTENTION, use_rslora=True),
    "pissa-converted": LoraConfig(r=4, lora_alpha=4, target_modules=ATTENTION, init_lora_weights="pissa"),
    "pissa": LoraConfig(r=4, lora_alpha=4, target_modules=ATTENTION, init_lora_weights="pissa"),
    "dora": LoraConfig(r=4, lora_alpha=8, target_modules=ATTENTION, use_dora=True),
    "modules-to-save": LoraConfig(r=4, lora_alpha=8, target_modules=ATTENTION, modules_to_save=["lm_head"]),
    "patterns": LoraConfig(r=4, lora_alpha=8, target_modules=ATTENTION, rank_pattern={"q_proj": 2}),
}

for name, config in ADAPTERS.items():
    torch.manual_seed(7)
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(FOLDER, dtype=torch.float32), config)
    model.eval()
    if name == "pissa-converted":
        model.peft_config["default"].init_lora_weights = True
        model.save_pretrained(OUT / "start")
        model.peft_config["default"].init_lora_weights = "pissa"
    with torch.no_grad():
        for key, p in model.named_parameters():
            if "lora_" in key:
                p.add_(0.2 * torch.randn_like(p))
    if name == "pissa-converted":
        model.save_pretrained(OUT / name, path_initial_model_for_weight_conversion=str(OUT / "start"))
    else:
        model.save_pretrained(OUT / name)
    ids = torch.randint(3, model.config.vocab_size, (1, 20))
    with torch.inference_mode():
        logits = model(ids).logits[0, :-1].float()
    logprobs = torch.log_softmax(logits, -1).gather(-1, ids[0, 1:, None])[:, 0]
    (OUT / name / "expected.json").write_text(json.dumps({"ids": ids[0].tolist(), "logprobs": logprobs.tolist()}))
print("done")
