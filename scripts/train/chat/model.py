"""The network: a Qwen3-shaped decoder (RMSNorm, per-head q/k norm, NEOX rope, SwiGLU, tied embeddings).
Tensor names follow GGUF's, so that export is a plain loop.

Written for a CPU with a bfloat16 matrix unit, where everything but the matrix products is what costs: activations
are bfloat16 throughout (float32 on a CPU without one, which is three times slower), weights are kept in float32 and
rounded once a step, norms have no gains that are learnt (the matrices behind them do the same), and the loss is compiled,
which makes one pass of what lies between two products. Attention brings its own gradient: it keeps its weights, and the
compiler sees one operation.
"""
import math
import timeit
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def seconds_of_product(dtype):
    """How long a product of the usual size takes in `dtype`, the best of a few."""
    left, right = torch.ones(2048, 256, dtype=dtype), torch.ones(256, 1408, dtype=dtype)
    return min(timeit.repeat(lambda: left @ right, number=1, repeat=8))


# What matrices are multiplied in. Some CPUs have bfloat16 only by name, and are slower with it.
FAST = torch.bfloat16 if DEVICE == "cuda" or seconds_of_product(torch.bfloat16) < 0.7 * seconds_of_product(torch.float32) else torch.float32


@dataclass
class Config:
    vocab: int = 2048
    dim: int = 256
    layers: int = 6
    heads: int = 4
    head_dim: int = 64
    ff: int = 704
    context: int = 2048
    rope_base: float = 10000.0
    eps: float = 1e-6
    qk_gain: float = 1.5  # the weight of q's and k's norms: sharp enough to copy with


def unit(x, eps):
    """x / rms(x)."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)).to(x.dtype)


def unit_rope(x, cos, sin, eps):
    """Rope of x / rms(x) for heads x [batch, time, heads, head_dim]; cos and sin hold the norm's gain."""
    first, second = unit(x, eps).chunk(2, -1)
    return torch.cat([first, second], -1) * cos + torch.cat([second, first], -1) * sin


@torch.library.custom_op("hearth::attend", mutates_args=())
def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention of q, k, v [batch x heads, time, head_dim], `mask` added to the scores: (output, attention weights)."""
    weights = F.softmax(torch.baddbmm(mask, q, k.transpose(1, 2)), -1)
    return weights @ v, weights


@attend.register_fake
def _(q, k, v, mask):
    return q.new_empty(q.shape), q.new_empty(q.shape[0], q.shape[1], k.shape[1])


@torch.library.custom_op("hearth::attend_backward", mutates_args=())
def attend_backward(grad: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, weights: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of q, k and v."""
    scores = torch._softmax_backward_data(grad @ v.transpose(1, 2), weights, -1, weights.dtype)
    return scores @ k, scores.transpose(1, 2) @ q, weights.transpose(1, 2) @ grad


@attend_backward.register_fake
def _(grad, q, k, v, weights):
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def keep_for_backward(ctx, inputs, output):
    q, k, v, _ = inputs
    ctx.save_for_backward(q, k, v, output[1])


def backward(ctx, grad, _):
    return *attend_backward(grad.contiguous(), *ctx.saved_tensors), None


torch.library.register_autograd("hearth::attend", backward, setup_context=keep_for_backward)


def rope_tables(cfg):
    """cos and sin [context, head_dim] for `rotate`, times the norm's gain."""
    freq = cfg.rope_base ** (-torch.arange(0, cfg.head_dim, 2).float() / cfg.head_dim)
    angle = torch.outer(torch.arange(cfg.context).float(), freq)
    return torch.cat([angle.cos()] * 2, -1) * cfg.qk_gain, torch.cat([-angle.sin(), angle.sin()], -1) * cfg.qk_gain


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg, inner = cfg, cfg.heads * cfg.head_dim
        sizes = {"attn_qkv": (3 * inner, cfg.dim), "attn_output": (cfg.dim, inner), "ffn_gate_up": (2 * cfg.ff, cfg.dim), "ffn_down": (cfg.dim, cfg.ff)}
        for name, size in sizes.items():
            residual = "output" in name or "down" in name
            setattr(self, name, nn.Parameter(torch.randn(size) * (0.05 if residual else 1.0) / math.sqrt(size[1])))

    def attention(self, x, cos, sin, mask, cache):
        b, t, _ = x.shape
        h, d = self.cfg.heads, self.cfg.head_dim
        q, k, v = (x @ self.attn_qkv.t().to(x.dtype)).view(b, t, 3 * h, d).split(h, 2)
        q, k = (unit_rope(y, cos, sin, self.cfg.eps) for y in (q, k))
        q, k, v = (y.transpose(1, 2).reshape(b * h, -1, d) for y in (q * d ** -0.5, k, v))
        if cache is not None:
            if "k" in cache:
                k, v = torch.cat([cache["k"], k], 1), torch.cat([cache["v"], v], 1)
            cache["k"], cache["v"] = k, v
        out = attend(q, k, v, mask)[0].view(b, h, t, d).transpose(1, 2).reshape(b, t, h * d)
        return out @ self.attn_output.t().to(x.dtype)

    def forward(self, x, cos, sin, mask, cache=None, only=None):
        x = x + self.attention(unit(x, self.cfg.eps), cos, sin, mask, cache)
        if only is not None:
            x = x[only]
        gate, up = (unit(x, self.cfg.eps) @ self.ffn_gate_up.t().to(x.dtype)).chunk(2, -1)
        return x + (F.silu(gate) * up) @ self.ffn_down.t().to(x.dtype)


class Model(nn.Module):
    def __init__(self, cfg, dtype=FAST):
        """`dtype` is what activations are kept in."""
        super().__init__()
        self.cfg, self.dtype = cfg, dtype
        self.token_embd = nn.Parameter(torch.randn(cfg.vocab, cfg.dim) * 0.05)
        self.blk = nn.ModuleList(Block(cfg) for _ in range(cfg.layers))
        for name, table in zip(("cos", "sin"), rope_tables(cfg)):
            self.register_buffer(name, table, persistent=False)
        self.look_back()

    @torch.no_grad()
    def look_back(self):
        """Begins with a head that looks at the token before, which copying stands on and which is slow to be found: the first dimension
        of all embeddings is one constant, and of it the first layer's first head makes a query one place behind its key."""
        constant, strength, pairs, half = 0.25, 3.0, 6, self.cfg.head_dim // 2
        self.token_embd[:, 0] = constant
        qkv, keys = self.blk[0].attn_qkv, self.cfg.heads * self.cfg.head_dim
        for first in (0, keys):
            qkv[first:first + 2 * half] *= 0.3
            qkv[first:first + 2 * half, 0] = 0
        angle = self.cfg.rope_base ** (-torch.arange(pairs) / half)
        qkv[:pairs, 0], qkv[half:half + pairs, 0] = strength * angle.cos(), -strength * angle.sin()
        qkv[keys:keys + pairs, 0] = strength

    def hidden(self, ids, caches=None, start=0, only=None, pad=None):
        """Hidden states after the last norm; with caches it continues at position `start`; with `only`
        (rows, columns) the last feed-forward part is computed at those positions alone; `pad` [batch] counts the tokens that
        fill a row on its left and are not seen."""
        b, t = ids.shape
        cos, sin = (x[start:start + t, None].to(self.dtype) for x in (self.cos, self.sin))
        mask = torch.full((1, t, start + t), float("-inf"), device=ids.device).triu(start + 1)
        if pad is not None:
            filled = torch.arange(start + t, device=ids.device) < pad[:, None]
            mask = mask.masked_fill(filled[:, None], -1e9).repeat_interleave(self.cfg.heads, 0)
        x = F.embedding(ids, self.token_embd).to(self.dtype)
        for i, block in enumerate(self.blk):
            last = i + 1 == len(self.blk)
            x = block(x, cos, sin, mask.to(self.dtype), caches[i] if caches else None, only if last else None)
        return unit(x, self.cfg.eps)

    def logits(self, hidden):
        return hidden @ self.token_embd.t().to(hidden.dtype)

    def matrices(self, of=lambda p: p.data):
        """(GGUF name, view of the weight) for every matrix but the embedding; `of` takes another tensor than the weight, e.g. its
        gradient."""
        for i, block in enumerate(self.blk):
            whole = [of(p) for p in (block.attn_qkv, block.attn_output, block.ffn_gate_up, block.ffn_down)]
            names = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
            views = (*whole[0].chunk(3), whole[1], *whole[2].chunk(2), whole[3])
            yield from ((f"blk.{i}.{name}.weight", view) for name, view in zip(names, views))

    def tensors(self):
        """(GGUF name, tensor) for every weight."""
        ones, gain = torch.ones(self.cfg.dim), torch.full((self.cfg.head_dim,), self.cfg.qk_gain)
        yield "token_embd.weight", self.token_embd.detach()
        yield "output_norm.weight", ones
        for i in range(self.cfg.layers):
            norms = {"attn_norm": ones, "attn_q_norm": gain, "attn_k_norm": gain, "ffn_norm": ones}
            yield from ((f"blk.{i}.{name}.weight", tensor) for name, tensor in norms.items())
        yield from self.matrices()


@torch.compile(dynamic=True)
def loss(model, ids, rows, cols, targets):
    """Cross entropy at the given positions only: the rest never meets the output matrix."""
    return F.cross_entropy(model.logits(model.hidden(ids, only=(rows, cols))).float(), targets)
