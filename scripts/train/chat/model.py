"""The network: a Qwen3-shaped decoder (RMSNorm, grouped attention with per-head q/k norm, NEOX rope,
SwiGLU, tied embeddings). Parameter names follow GGUF's tensor names, so that export is a plain loop.

Debian's torch 1.13 has no fused attention, so it is written out; matrix products run in bfloat16 under
autocast, norms and the softmax in float32.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab: int = 2048
    dim: int = 192
    layers: int = 6
    heads: int = 6
    kv_heads: int = 6
    head_dim: int = 32
    ff: int = 544
    context: int = 2048
    rope_base: float = 10000.0
    eps: float = 1e-6


class RmsNorm(torch.autograd.Function):
    """x / rms(x) * weight with its gradient by hand: fewer passes over memory than autograd's own."""

    @staticmethod
    def forward(ctx, x, weight, eps, out_type):
        x = x.float()
        scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
        unit = x * scale
        ctx.save_for_backward(unit, scale, weight)
        return (unit * weight).to(out_type)

    @staticmethod
    def backward(ctx, grad):
        unit, scale, weight = ctx.saved_tensors
        grad = grad.float()
        grad_weight = (grad * unit).reshape(-1, unit.shape[-1]).sum(0)
        grad = grad * weight
        return (grad - unit * (grad * unit).mean(-1, keepdim=True)) * scale, grad_weight, None, None


class SwiGlu(torch.autograd.Function):
    """silu(gate) * up; torch 1.13's own silu gradient is slow in bfloat16."""

    @staticmethod
    def forward(ctx, gate, up):
        sigmoid = torch.sigmoid(gate)
        active = gate * sigmoid
        ctx.save_for_backward(sigmoid, active, up)
        return active * up

    @staticmethod
    def backward(ctx, grad):
        sigmoid, active, up = ctx.saved_tensors
        return grad * up * torch.addcmul(sigmoid, active, 1 - sigmoid), grad * active


class Norm(nn.Module):
    def __init__(self, size, eps, start=1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((size,), start))
        self.eps = eps

    def forward(self, x):
        out_type = torch.bfloat16 if torch.is_autocast_cpu_enabled() else torch.float32
        return RmsNorm.apply(x, self.weight, self.eps, out_type)


def rope_tables(cfg, length):
    freq = cfg.rope_base ** (-torch.arange(0, cfg.head_dim, 2).float() / cfg.head_dim)
    angle = torch.outer(torch.arange(length).float(), freq)
    return torch.cat([angle.cos()] * 2, -1), torch.cat([-angle.sin(), angle.sin()], -1)


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat([x[..., half:], x[..., :half]], -1) * sin


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.attn_q = nn.Linear(cfg.dim, cfg.heads * cfg.head_dim, bias=False)
        self.attn_k = nn.Linear(cfg.dim, cfg.kv_heads * cfg.head_dim, bias=False)
        self.attn_v = nn.Linear(cfg.dim, cfg.kv_heads * cfg.head_dim, bias=False)
        self.attn_output = nn.Linear(cfg.heads * cfg.head_dim, cfg.dim, bias=False)
        self.attn_q_norm = Norm(cfg.head_dim, cfg.eps, 1.5)
        self.attn_k_norm = Norm(cfg.head_dim, cfg.eps, 1.5)

    def forward(self, x, cos, sin, mask, cache=None):
        b, t, _ = x.shape
        shape = (b, t, -1, self.cfg.head_dim)
        q = rotate(self.attn_q_norm(self.attn_q(x).view(shape)).transpose(1, 2), cos, sin)
        k = rotate(self.attn_k_norm(self.attn_k(x).view(shape)).transpose(1, 2), cos, sin)
        v = self.attn_v(x).view(shape).transpose(1, 2)
        if cache is not None:
            if "k" in cache:
                k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
            cache["k"], cache["v"] = k, v
        if self.cfg.kv_heads != self.cfg.heads:
            repeat = self.cfg.heads // self.cfg.kv_heads
            k, v = k.repeat_interleave(repeat, 1), v.repeat_interleave(repeat, 1)
        scores = (q * self.cfg.head_dim ** -0.5) @ k.transpose(-1, -2)
        with torch.autocast("cpu", enabled=False):
            weights = F.softmax(scores.add_(mask.to(scores.dtype)), -1)
        out = (weights @ v).transpose(1, 2).reshape(b, t, -1)
        return self.attn_output(out)


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.attn_norm = Norm(cfg.dim, cfg.eps)
        self.attn = Attention(cfg)
        self.ffn_norm = Norm(cfg.dim, cfg.eps)
        self.ffn_gate = nn.Linear(cfg.dim, cfg.ff, bias=False)
        self.ffn_up = nn.Linear(cfg.dim, cfg.ff, bias=False)
        self.ffn_down = nn.Linear(cfg.ff, cfg.dim, bias=False)

    def forward(self, x, cos, sin, mask, cache=None, only=None):
        x = x + self.attn(self.attn_norm(x), cos, sin, mask, cache)
        if only is not None:
            x = x[only]
        h = self.ffn_norm(x)
        return x + self.ffn_down(SwiGlu.apply(self.ffn_gate(h), self.ffn_up(h)))


class Model(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.token_embd = nn.Embedding(cfg.vocab, cfg.dim)
        self.blk = nn.ModuleList(Block(cfg) for _ in range(cfg.layers))
        self.output_norm = Norm(cfg.dim, cfg.eps)
        cos, sin = rope_tables(cfg, cfg.context)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        nn.init.normal_(self.token_embd.weight, std=0.02 * math.sqrt(192 / cfg.dim))
        for name, p in self.named_parameters():
            if p.dim() == 2 and "embd" not in name:
                residual = "output" in name or "down" in name
                nn.init.normal_(p, std=(0.3 if residual else 1.0) / math.sqrt(p.shape[1]))

    def hidden(self, ids, caches=None, start=0, only=None):
        """Hidden states after the last norm; with caches it continues at position `start`; with `only`
        (rows, columns) the last feed-forward part is computed at those positions alone."""
        t = ids.shape[1]
        kind = torch.bfloat16 if torch.is_autocast_cpu_enabled() else torch.float32
        cos, sin = self.cos[start:start + t].to(kind), self.sin[start:start + t].to(kind)
        mask = torch.full((t, start + t), float("-inf")).triu(start + 1)
        x = self.token_embd(ids)
        for i, block in enumerate(self.blk):
            last = i + 1 == len(self.blk)
            x = block(x, cos, sin, mask, caches[i] if caches else None, only if last else None)
        return self.output_norm(x)

    def loss(self, ids, rows, cols, targets):
        """Cross entropy at the given positions only: the rest never meets the output matrix."""
        logits = self.hidden(ids, only=(rows, cols)) @ self.token_embd.weight.t()
        return F.cross_entropy(logits.float(), targets)

    def tensors(self):
        """(GGUF name, tensor) for every weight."""
        for name, p in self.named_parameters():
            yield name.replace(".attn.", ".").replace("blk.", "blk.", 1), p.detach()
