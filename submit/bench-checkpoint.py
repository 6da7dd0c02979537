"""The steps of CheckpointBench in PyTorch, with Hugging Face's transformers and peft: a line for each measurement.

bench-checkpoint.py DIR DEVICE TYPE sample|lora|weights
"""
import resource
import sys
import time

import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM

FOLDER, DEVICE, TYPE, WHAT = sys.argv[1], sys.argv[2], getattr(torch, sys.argv[3]), sys.argv[4]
CPU = not DEVICE.startswith("cuda")
SLOTS, PROMPT, DRAWN, BATCH, LENGTH, MICRO_BATCH, WARM_UP, UPDATES = (
    (16, 128, 24, 8, 256, 4, 1, 1) if CPU else (32, 512, 128, 8, 1024, 8, 2, 5)
)
WRITTEN = LENGTH // 4


def wait():
    if DEVICE.startswith("cuda"):
        torch.cuda.synchronize()


def seconds(since):
    wait()
    return time.perf_counter() - since


@torch.inference_mode()
def sample(model):
    for i in range(WARM_UP + 1):
        ids = torch.randint(model.config.vocab_size, (SLOTS, PROMPT), device=DEVICE)
        start = time.perf_counter()
        out = model(ids, use_cache=True, logits_to_keep=1)
        ids = torch.multinomial(torch.softmax(out.logits[:, -1].float(), -1), 1)
        prompts = seconds(start)
        for _ in range(DRAWN - 1):
            out = model(ids, past_key_values=out.past_key_values, use_cache=True)
            p = torch.softmax(out.logits[:, -1].float(), -1)
            ids = torch.multinomial(p, 1)
            p.gather(-1, ids).log()
        drawn = seconds(start) - prompts
    print(f"prompts: {SLOTS * PROMPT / prompts:.3f} tokens/s")
    print(f"sampling: {SLOTS * (DRAWN - 1) / drawn:.3f} tokens/s", flush=True)


def update(model, name):
    """Masters in float32 and the model in TYPE, as mixed precision keeps them; peft has its adapters in float32."""
    trained = [p for p in model.parameters() if p.requires_grad]
    masters = [p.detach().float().requires_grad_() for p in trained]
    optimizer = torch.optim.AdamW(masters, 1e-6, (0.9, 0.98), weight_decay=0.01)
    ids = torch.randint(model.config.vocab_size, (BATCH, LENGTH), device=DEVICE)
    times = []
    for _ in range(WARM_UP + UPDATES):
        start = time.perf_counter()
        for part in ids.split(MICRO_BATCH):
            logits = model(part, use_cache=False, logits_to_keep=WRITTEN + 1).logits[:, :-1]
            loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]).float(), part[:, -WRITTEN:].reshape(-1))
            (loss * len(part) / BATCH).backward()
        for own, master in zip(trained, masters):
            master.grad, own.grad = own.grad.float(), None
        torch.nn.utils.clip_grad_norm_(masters, 1.0)
        optimizer.step()
        with torch.no_grad():
            for own, master in zip(trained, masters):
                own.copy_(master)
        times.append(seconds(start))
    print(f"update of {name}: {sorted(times[WARM_UP:])[UPDATES // 2]:.3f} s", flush=True)


torch.manual_seed(1)
start = time.perf_counter()
model = AutoModelForCausalLM.from_pretrained(FOLDER, dtype=TYPE).to(DEVICE)
print(f"open: {seconds(start):.3f} s")
if WHAT == "sample":
    sample(model.eval())
else:
    if not CPU:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    if WHAT == "lora":
        from peft import LoraConfig, get_peft_model

        model = get_peft_model(model, LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "k_proj", "v_proj", "o_proj"]))
    update(model.train(), "an adapter" if WHAT == "lora" else "all weights")
print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.3f} GB")
