"""Muon for the matrices, Adam for the embedding and the norms.

Muon replaces a matrix's momentum by its nearest orthogonal matrix (five Newton-Schulz steps), which makes
a small network learn from about half the tokens. Both keep their state in plain tensors, saved by `state()`.
"""
import torch


def orthogonalize(g):
    """Quintic Newton-Schulz iteration towards U V^T of g's singular value decomposition."""
    x = g.bfloat16()
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.t()
    x = x / (x.float().norm() + 1e-7)
    for _ in range(5):
        a = x @ x.t()
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return (x.t() if tall else x).float()


class Optimizer:
    def __init__(self, model):
        named = list(model.named_parameters())
        self.matrices = [(n, p) for n, p in named if p.dim() == 2 and "token_embd" not in n]
        self.others = [(n, p) for n, p in named if p.dim() != 2 or "token_embd" in n]
        self.momentum = {n: torch.zeros_like(p) for n, p in self.matrices}
        self.first = {n: torch.zeros_like(p) for n, p in self.others}
        self.second = {n: torch.zeros_like(p) for n, p in self.others}
        self.step_count = 0

    @torch.no_grad()
    def step(self, scale, muon_lr=0.005, adam_lr=0.002, decay=0.05):
        """One update; `scale` is the schedule's factor 0..1."""
        self.step_count += 1
        for name, p in self.matrices:
            m = self.momentum[name].mul_(0.95).add_(p.grad)
            update = orthogonalize(p.grad + 0.95 * m) * max(1.0, p.shape[0] / p.shape[1]) ** 0.5
            p.mul_(1 - muon_lr * scale * decay).add_(update, alpha=-muon_lr * scale)
        for name, p in self.others:
            m = self.first[name].mul_(0.9).add_(p.grad, alpha=0.1)
            v = self.second[name].mul_(0.98).addcmul_(p.grad, p.grad, value=0.02)
            m_hat, v_hat = m / (1 - 0.9 ** self.step_count), v / (1 - 0.98 ** self.step_count)
            p.add_(m_hat / (v_hat.sqrt() + 1e-8), alpha=-adam_lr * scale)
        for _, p in self.matrices + self.others:
            p.grad = None

    def state(self):
        return {"momentum": self.momentum, "first": self.first, "second": self.second, "step": self.step_count}

    def load(self, state):
        self.momentum, self.first, self.second = state["momentum"], state["first"], state["second"]
        self.step_count = state["step"]
