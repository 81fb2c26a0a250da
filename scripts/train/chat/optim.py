"""Muon for the matrices, Adam for the embedding.

Muon replaces a matrix's momentum by its nearest orthogonal matrix (five Newton-Schulz steps), which makes a small
network learn from about half the tokens. Weights, state and gradients may lie in memory that several processes share:
each then updates the matrices that are its own.
"""
import torch

from model import FAST

MUON_RATE, ADAM_RATE, DECAY = 0.005, 0.0015, 0.05
RESIDUAL = 0.3  # of the rate, for matrices that write to the residual stream: else they drown the embeddings early


def orthogonalize(g):
    """Quintic Newton-Schulz iteration towards U V^T of g's singular value decomposition."""
    x = g.to(FAST)
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.t()
    x = x / (x.float().norm() + 1e-7)
    for _ in range(5):
        a = x @ x.t()
        x = torch.addmm(x, torch.addmm(a, a, a, beta=-4.7750, alpha=2.0315), x, beta=3.4445)
    return (x.t() if tall else x).float()


class Optimizer:
    """`step` updates `model.matrices()` and the embedding in place."""

    def __init__(self, model):
        self.matrices = dict(model.matrices())
        self.embedding = model.token_embd.data
        self.state = {name: torch.zeros_like(p) for name, p in self.matrices.items()}
        self.state["first"], self.state["second"] = torch.zeros_like(self.embedding), torch.zeros_like(self.embedding)

    def share_memory(self):
        for tensor in self.state.values():
            tensor.share_memory_()

    def names(self):
        """What can be updated apart, the costly ones first."""
        return [*sorted(self.matrices, key=lambda n: -self.matrices[n].numel()), "token_embd"]

    @torch.no_grad()
    def update(self, name, grad, scale, step):
        """One part's update number `step` (from 1); `scale` is the schedule's factor 0..1."""
        if name != "token_embd":
            p, m = self.matrices[name], self.state[name]
            m.mul_(0.95).add_(grad)
            direction = orthogonalize(grad + 0.95 * m) * max(1.0, p.shape[0] / p.shape[1]) ** 0.5
            rate = MUON_RATE * scale * (RESIDUAL if "output" in name or "down" in name else 1)
            p.mul_(1 - rate * DECAY).add_(direction, alpha=-rate)
            return
        m = self.state["first"].mul_(0.9).add_(grad, alpha=0.1)
        v = self.state["second"].mul_(0.98).addcmul_(grad, grad, value=0.02)
        m_hat, v_hat = m / (1 - 0.9 ** step), v / (1 - 0.98 ** step)
        self.embedding.add_(m_hat / (v_hat.sqrt() + 1e-8), alpha=-ADAM_RATE * scale)
