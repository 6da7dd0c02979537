"""Checkpoints as transformers writes them, each with `expected.json`, what transformers computes with it.

checkpoints.py OUT

The form is that of the checkpoints that every engine is tested with: log-probabilities, norms of gradients, and a
greedy continuation.
"""

import json
import pathlib
import sys

import torch
import transformers
from transformers import LlamaConfig, MistralConfig, Qwen2Config, Qwen3Config

VOCABULARY, LENGTH, GREEDY = 97, 20, 24
SHAPE = dict(
    vocab_size=VOCABULARY,
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=256,
    bos_token_id=1,
    eos_token_id=2,
    initializer_range=0.2,
)
LLAMA3 = dict(
    rope_type="llama3",
    factor=8.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=64,
    rope_theta=10000.0,
)
MODELS = {
    "llama": LlamaConfig(**SHAPE),
    "llama-tied-biased": LlamaConfig(**SHAPE, tie_word_embeddings=True, attention_bias=True, mlp_bias=True),
    "llama3-rope": LlamaConfig(**SHAPE, rope_scaling=LLAMA3),
    "mistral": MistralConfig(**SHAPE, sliding_window=None),
    "qwen2": Qwen2Config(**SHAPE, tie_word_embeddings=True),
    "qwen3": Qwen3Config(**SHAPE, head_dim=16),
    "llama-bf16": LlamaConfig(**SHAPE),
}


def logprobs(model, ids):
    logits = model(torch.tensor([ids])).logits[0, :-1].float()
    return torch.log_softmax(logits, -1).gather(-1, torch.tensor(ids[1:])[:, None])[:, 0]


def case(model):
    ids = torch.randint(3, VOCABULARY, (LENGTH,)).tolist()
    model.zero_grad()
    own = logprobs(model, ids)
    (-own.mean()).backward()
    norms = {name: p.grad.norm().item() for name, p in model.named_parameters()}
    return {"ids": ids, "logprobs": own.tolist(), "grad_norms": norms}


def greedy(model):
    ids = torch.randint(3, VOCABULARY, (6,)).tolist()
    prompt = list(ids)
    with torch.no_grad():
        for _ in range(GREEDY):
            ids.append(model(torch.tensor([ids])).logits[0, -1].argmax().item())
    return {"prompt": prompt, "greedy": ids[len(prompt) :]}


for name, config in MODELS.items():
    folder = pathlib.Path(sys.argv[1]) / name
    torch.manual_seed(7)
    model = transformers.AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() == 1:
                p.add_(0.1 * torch.randn_like(p))
    if name.endswith("bf16"):
        model = model.to(torch.bfloat16)
    model.save_pretrained(folder)
    # What is expected is computed in float32 from the weights as they are stored.
    model = model.float().eval()
    (folder / "expected.json").write_text(json.dumps({"cases": [case(model), case(model), greedy(model)]}))
print(transformers.__version__)
