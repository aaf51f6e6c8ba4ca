"""Trains the model on the documents that ./corpus wrote. See ../README.md.

    python train.py DATA OUT

OUT gets state.pt, from which a run that was stopped goes on; model.safetensors, whose tensors have the names and
layouts of GGUF; loss.csv, and in the end figures.json. A batch has documents of like length: so they need no packing
and little padding, and each begins where it will begin in use, at position 0.
"""
import argparse
import csv
import json
import math
import os
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

VOCAB, DIM, LAYERS, HEADS, KV_HEADS, HEAD_DIM, FFN = 2048, 192, 5, 6, 3, 32, 384
CONTEXT, EPS, BASE = 1024, 1e-5, 10000.0
LATE = 0.75  # of the tokens are seen before the documents to end with
STEP = 16  # lengths are rounded up to a multiple


def rope(x, cos, sin):  # [batch, heads, positions, HEAD_DIM]; pairs are neighbours, as GGUF has them
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


def attend(q, k, v):
    """Causal attention; on a CPU its gradient is three times as fast as that of PyTorch's own."""
    b, _, n, d = q.shape
    group = HEADS // KV_HEADS
    q = (q * d**-0.5).reshape(b, KV_HEADS, group * n, d)
    mask = torch.full((n, n), float("-inf")).triu(1).repeat(group, 1)
    return ((q @ k.transpose(-1, -2) + mask).softmax(-1) @ v).view(b, HEADS, n, d)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        kv = KV_HEADS * HEAD_DIM
        self.attn_norm, self.ffn_norm = nn.RMSNorm(DIM, EPS), nn.RMSNorm(DIM, EPS)
        self.attn_q, self.attn_k = nn.Linear(DIM, HEADS * HEAD_DIM, False), nn.Linear(DIM, kv, False)
        self.attn_v, self.attn_output = nn.Linear(DIM, kv, False), nn.Linear(HEADS * HEAD_DIM, DIM, False)
        self.ffn_gate, self.ffn_up = nn.Linear(DIM, FFN, False), nn.Linear(DIM, FFN, False)
        self.ffn_down = nn.Linear(FFN, DIM, False)

    def forward(self, x, cos, sin):
        b, n, _ = x.shape
        h = self.attn_norm(x)
        heads = lambda y, count: y.view(b, n, count, HEAD_DIM).transpose(1, 2)
        q, k = rope(heads(self.attn_q(h), HEADS), cos, sin), rope(heads(self.attn_k(h), KV_HEADS), cos, sin)
        x = x + self.attn_output(attend(q, k, heads(self.attn_v(h), KV_HEADS)).transpose(1, 2).reshape(b, n, -1))
        h = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.token_embd = nn.Embedding(VOCAB, DIM)
        self.blk = nn.ModuleList(Block() for _ in range(LAYERS))
        self.output_norm = nn.RMSNorm(DIM, EPS)
        for name, p in self.named_parameters():
            if p.dim() > 1:
                deep = name.endswith(("attn_output.weight", "ffn_down.weight"))
                nn.init.normal_(p, std=0.02 if "embd" in name else DIM**-0.5 / (math.sqrt(2 * LAYERS) if deep else 1))
        angle = torch.outer(torch.arange(CONTEXT).float(), BASE ** (-torch.arange(0, HEAD_DIM, 2) / HEAD_DIM))
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, ids):
        x = self.token_embd(ids)
        cos, sin = self.cos[: ids.shape[1]], self.sin[: ids.shape[1]]
        for block in self.blk:
            x = block(x, cos, sin)
        return self.output_norm(x)

    def loss(self, ids, target):
        """Sum over the ids that are to be predicted, and their number. Only their logits are computed."""
        h = self(ids[:, :-1])[target[:, 1:]]
        logits = F.linear(h, self.token_embd.weight)
        return F.cross_entropy(logits.float(), ids[:, 1:][target[:, 1:]], reduction="sum"), h.shape[0]


class Docs:
    """Documents, and an endless row of batches of some of like length."""

    def __init__(self, path, seed):
        self.words = np.fromfile(path, dtype="<u2").astype(np.int32)
        self.at, at = [], 0
        while at < len(self.words):
            n = int(self.words[at])
            if n <= CONTEXT:
                self.at.append((at + 1, n))
            at += 1 + n
        self.seed = seed

    def batch(self, picked):
        length = -(-max(self.at[i][1] for i in picked) // STEP) * STEP
        rows = np.zeros((len(picked), length), dtype=np.int32)
        for k, i in enumerate(picked):
            at, n = self.at[i]
            rows[k, :n] = self.words[at : at + n]
        rows = torch.from_numpy(rows).long()
        return rows & 0x7FFF, rows >= 0x8000

    def batches(self, epoch, tokens):
        """Lists of documents of about so many tokens, in an order that the seed and the epoch give."""
        rng = np.random.default_rng([self.seed, epoch])
        lengths = np.array([n for _, n in self.at])
        order = np.lexsort((rng.random(len(lengths)), -(-lengths // STEP)))
        out, at = [], 0
        while at < len(order):
            n = max(1, tokens // (-(-int(lengths[order[at]]) // STEP) * STEP))
            out.append(order[at : at + n])
            at += n
        rng.shuffle(out)
        return out


def evaluate(model, docs, first):
    """Perplexity of stories (all ids but the first of documents that are no conversation) and of answers."""
    sums = {"stories": [0.0, 0], "answers": [0.0, 0]}
    with torch.no_grad():
        for i, (at, n) in enumerate(docs.at[:first]):
            ids, target = docs.batch([i])
            loss, count = model.loss(ids[:, :n], target[:, :n])
            kind = "stories" if bool(target[0, 0]) else "answers"
            sums[kind][0] += float(loss)
            sums[kind][1] += count
    return {k: round(math.exp(s / n), 4) for k, (s, n) in sums.items()}


def figures(model, docs, at):
    return {"parameters": sum(p.numel() for p in model.parameters()), "tokens": at["tokens"], "steps": at["step"],
            "minutes": round(at["seconds"] / 60, 1), "perplexity": {str(n): evaluate(model, docs, n) for n in (100, 2000)}}


def arguments():
    a = argparse.ArgumentParser()
    a.add_argument("data")
    a.add_argument("out")
    a.add_argument("--tokens", type=float, default=18e6, help="to see in all, with padding")
    a.add_argument("--batch", type=int, default=4096, help="tokens in the share of one process")
    a.add_argument("--lr", type=float, default=4e-3)
    a.add_argument("--processes", type=int, default=2, help="with a thread each; a batch is shared among them")
    return a.parse_args()


def optimizers(model, lr):
    """Muon for the matrices inside, AdamW for the rest."""
    inner = [p for n, p in model.named_parameters() if p.dim() == 2 and "embd" not in n]
    other = [p for n, p in model.named_parameters() if p.dim() == 1 or "embd" in n]
    return [torch.optim.Muon(inner, lr=lr, weight_decay=0.1, momentum=0.95, adjust_lr_fn="match_rms_adamw"),
            torch.optim.AdamW(other, lr=lr, weight_decay=0.0, betas=(0.9, 0.98))]


class Run:
    """What a run that was stopped goes on from."""

    def __init__(self, a, model, opts):
        self.a, self.model, self.opts = a, model, opts
        self.at = {"tokens": 0, "step": 0, "seconds": 0.0, "epoch": 0, "used": 0, "rows": []}
        if os.path.exists(f"{a.out}/state.pt"):
            s = torch.load(f"{a.out}/state.pt", weights_only=True)
            model.load_state_dict(s["model"])
            for o, x in zip(opts, s["opts"]):
                o.load_state_dict(x)
            self.at = s["at"]

    def save(self):
        out = self.a.out
        torch.save({"model": self.model.state_dict(), "opts": [o.state_dict() for o in self.opts], "at": self.at},
                   f"{out}/state.new")
        os.replace(f"{out}/state.new", f"{out}/state.pt")
        save_file({k: v.contiguous() for k, v in self.model.state_dict().items()}, f"{out}/model.safetensors")
        with open(f"{out}/loss.csv", "w", newline="") as f:
            csv.writer(f).writerows([("step", "tokens", "seconds", "loss")] + self.at["rows"])


def train(rank, a):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29511", rank=rank, world_size=a.processes)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    model = Model()
    opts = optimizers(model, a.lr)
    run = Run(a, model, opts)
    at, docs, file = run.at, None, ""
    if rank == 0:
        print(sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    sums, last = torch.zeros(2), time.time()
    while at["tokens"] < a.tokens:
        done = at["tokens"] / a.tokens
        for o in opts:
            for g in o.param_groups:
                g["lr"] = a.lr * min((at["step"] + 1) / 100, 0.505 + 0.495 * math.cos(math.pi * done))
        wanted = "train.bin" if done < LATE else "late.bin"
        if file != wanted:
            if at.get("file", wanted) != wanted:
                at["epoch"] = at["used"] = 0
            at["file"] = file = wanted
            docs = Docs(f"{a.data}/{file}", 1)
            batches = docs.batches(at["epoch"], a.batch)
        if at["used"] + a.processes > len(batches):
            at["epoch"], at["used"] = at["epoch"] + 1, 0
            batches = docs.batches(at["epoch"], a.batch)
        ids, target = docs.batch(batches[at["used"] + rank])
        at["used"] += a.processes
        loss, n = model.loss(ids, target)
        (loss / n / a.processes).backward()
        flat = torch.cat([p.grad.flatten() for p in model.parameters()] + [torch.tensor([float(loss.detach()), n, ids.numel()])])
        dist.all_reduce(flat)
        for p, g in zip(model.parameters(), flat[:-3].split([p.numel() for p in model.parameters()])):
            p.grad.copy_(g.view_as(p))
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for o in opts:
            o.step()
            o.zero_grad(set_to_none=True)
        sums += flat[-3:-1]
        at["tokens"] += int(flat[-1])
        at["step"] += 1
        at["seconds"] += time.time() - last
        last = time.time()
        if at["step"] % 25 == 0:
            at["rows"].append((at["step"], at["tokens"], round(at["seconds"], 1), round(float(sums[0] / sums[1]), 4)))
            sums.zero_()
            if rank == 0:
                print(*at["rows"][-1], flush=True)
        if rank == 0 and at["step"] % 100 == 0:
            run.save()
    if rank == 0:
        run.save()
        with open(f"{a.out}/figures.json", "w") as f:
            json.dump(figures(model, Docs(f"{a.data}/heldout.bin", 2), at), f, indent="\t")


if __name__ == "__main__":
    a = arguments()
    os.makedirs(a.out, exist_ok=True)
    torch.multiprocessing.spawn(train, (a,), a.processes)
