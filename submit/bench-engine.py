"""The steps of EngineBench in PyTorch: a line for each of them, what and seconds.

bench-engine.py DEVICE TYPE THREADS update:WIDTHxLAYERS … sample:WIDTHxLAYERS …
"""
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

UPDATES, BATCH, LENGTH, EPISODES, VOCABULARY, HEADS = 9, 8, 256, 64, 2048, 4
DEVICE, TYPE, THREADS = sys.argv[1], getattr(torch, sys.argv[2]), int(sys.argv[3])


def rotate(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(d, 1e-5), nn.RMSNorm(d, 1e-5)
        self.qkv, self.out = nn.Linear(d, 3 * d, False), nn.Linear(d, d, False)
        self.gate_up, self.down = nn.Linear(d, 8 * d, False), nn.Linear(4 * d, d, False)

    def forward(self, x, cos, sin, cache=None, at=None):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, d // HEADS).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if cache is None:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            cache[0][:, :, at : at + 1], cache[1][:, :, at : at + 1] = k, v
            y = F.scaled_dot_product_attention(q, cache[0][:, :, : at + 1], cache[1][:, :, : at + 1])
        x = x + self.out(y.transpose(1, 2).reshape(b, t, d))
        gate, up = self.gate_up(self.norm2(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Model(nn.Module):
    def __init__(self, d, layers):
        super().__init__()
        self.embed, self.norm = nn.Embedding(VOCABULARY, d), nn.RMSNorm(d, 1e-5)
        self.blocks = nn.ModuleList(Block(d) for _ in range(layers))
        nn.init.normal_(self.embed.weight, std=0.05)
        half = d // HEADS // 2
        angles = torch.arange(2 * LENGTH)[:, None] * 10000.0 ** (-torch.arange(half) / half)
        angles = torch.cat((angles, angles), -1)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids, caches=None, at=0):
        x = self.embed(ids)
        cos, sin = (m[at : at + ids.shape[1]].to(x.dtype) for m in (self.cos, self.sin))
        for i, block in enumerate(self.blocks):
            x = block(x, cos, sin, None if caches is None else caches[i], at)
        return self.norm(x) @ self.embed.weight.T


def wait():
    if DEVICE.startswith("cuda"):
        torch.cuda.synchronize()


def update(model):
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, (0.9, 0.98), weight_decay=0.01)
    ids = torch.randint(VOCABULARY, (BATCH, LENGTH), device=DEVICE)
    seconds = []
    for _ in range(2 * UPDATES):
        start = time.perf_counter()
        optimizer.zero_grad()
        with torch.autocast(DEVICE.split(":")[0], TYPE, enabled=TYPE != torch.float32):
            logits = model(ids)[:, :-1]
        F.cross_entropy(logits.reshape(-1, VOCABULARY).float(), ids[:, 1:].reshape(-1)).backward()
        optimizer.step()
        wait()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds[UPDATES:])[UPDATES // 2]


@torch.inference_mode()
def sample(model, d):
    shape = (EPISODES, HEADS, 2 * LENGTH, d // HEADS)
    model = model.to(TYPE)
    caches = [tuple(torch.zeros(2, *shape, device=DEVICE, dtype=TYPE)) for _ in model.blocks]
    ids = torch.zeros(EPISODES, 1, dtype=torch.long, device=DEVICE)
    start = time.perf_counter()
    for at in range(LENGTH):
        p = torch.softmax(model(ids, caches, at)[:, -1].float(), -1)
        ids = torch.multinomial(p, 1)
        p.gather(-1, ids).log()
    wait()
    return (time.perf_counter() - start) / LENGTH


for what in sys.argv[4:]:
    width, layers = map(int, what.split(":")[1].split("x"))
    torch.manual_seed(1)
    model = Model(width, layers).to(DEVICE)
    if what.startswith("update"):
        torch.set_num_threads(THREADS)
        took = update(model)
    else:
        torch.set_num_threads(1)
        took = min([sample(model, width) for _ in range(3)][1:])
    print(f"{what} {took:.6f}", flush=True)
