"""Training code of both recipes: Muon for matrices and convolutions, Adam for the rest, an average of the weights, resumable runs.

Muon replaces the momentum of a weight by its nearest orthogonal matrix (five Newton-Schulz steps), a convolution being
read as the matrix [out, in x kernel]. With bfloat16 and channels-last memory the products run on the processor's matrix
unit where there is one.
"""
import csv
import os
import time

import torch


def orthogonalize(g):
    """Quintic Newton-Schulz iteration towards U V^T of g's singular value decomposition."""
    tall = g.shape[0] > g.shape[1]
    x = g.t() if tall else g
    x = (x / (x.norm() + 1e-7)).bfloat16().contiguous()
    for _ in range(5):
        a = x @ x.t()
        x = torch.addmm(x, torch.addmm(a, a, a, beta=-4.7750, alpha=2.0315), x, beta=3.4445)
    return (x.t() if tall else x).float()


class Optimizer:
    """`plain` names parameters that Adam updates although they are matrices (embeddings, outputs)."""

    def __init__(self, model, plain=(), muon_lr=0.01, adam_lr=0.002, decay=0.02, average=0.999):
        named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        is_matrix = lambda n, p: p.dim() in (2, 4) and min(p.shape[0], p[0].numel()) >= 16 and not any(w in n for w in plain)
        self.matrices = [(n, p) for n, p in named if is_matrix(n, p)]
        self.others = [(n, p) for n, p in named if not is_matrix(n, p)]
        self.muon_lr, self.adam_lr, self.decay, self.average_rate = muon_lr, adam_lr, decay, average
        self.momentum = {n: torch.zeros_like(p) for n, p in self.matrices}
        self.first = {n: torch.zeros_like(p) for n, p in self.others}
        self.second = {n: torch.zeros_like(p) for n, p in self.others}
        self.average = {n: p.detach().clone() for n, p in named}
        self.steps = 0

    @torch.no_grad()
    def step(self, scale):
        """One update; `scale` is the schedule's factor 0 to 1."""
        self.steps += 1
        for name, p in self.matrices:
            m = self.momentum[name].mul_(0.95).add_(p.grad)
            update = orthogonalize((p.grad + 0.95 * m).reshape(p.shape[0], -1))
            update *= max(1.0, update.shape[0] / update.shape[1]) ** 0.5 * self.muon_lr * scale
            p.mul_(1 - self.muon_lr * scale * self.decay).sub_(update.reshape(p.shape))
        for name, p in self.others:
            m = self.first[name].mul_(0.9).add_(p.grad, alpha=0.1)
            v = self.second[name].mul_(0.98).addcmul_(p.grad, p.grad, value=0.02)
            m_hat, v_hat = m / (1 - 0.9 ** self.steps), v / (1 - 0.98 ** self.steps)
            p.sub_(m_hat / (v_hat.sqrt() + 1e-8), alpha=self.adam_lr * scale)
        rate = min(self.average_rate, self.steps / (self.steps + 20))
        for name, p in self.matrices + self.others:
            self.average[name].lerp_(p, 1 - rate)
            p.grad = None

    def state(self):
        return {k: getattr(self, k) for k in ("momentum", "first", "second", "average", "steps")}

    def load(self, state):
        for key, value in state.items():
            setattr(self, key, value)


class Run:
    """The files of a training run: checkpoint.pt, loss.csv; counts steps, samples, seconds of CPU."""

    def __init__(self, folder, model, optimizer):
        self.folder, self.model, self.optimizer = folder, model, optimizer
        self.state = {"step": 0, "samples": 0, "cpu_seconds": 0.0}
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "checkpoint.pt")
        if os.path.exists(self.path):
            saved = torch.load(self.path)
            model.load_state_dict(saved["model"])
            optimizer.load(saved["optimizer"])
            self.state = saved["state"]
        self.clock, self.saved_at, self.sums, self.count = time.process_time(), time.time(), {}, 0

    def progress(self, cpu_minutes):
        """Returns the used share of the CPU minutes."""
        return self.state["cpu_seconds"] / 60 / cpu_minutes

    def note(self, samples, **values):
        """Counts one step; every hundredth prints and writes the means, every few minutes saves."""
        now = time.process_time()
        self.state["cpu_seconds"] += now - self.clock
        self.clock = now
        self.state["step"] += 1
        self.state["samples"] += samples
        self.count += 1
        for key, value in values.items():
            self.sums[key] = self.sums.get(key, 0.0) + float(value)
        if self.count == 100:
            self.write()
        if time.time() - self.saved_at > 150:
            self.save()

    def write(self):
        means = {k: round(v / self.count, 5) for k, v in self.sums.items()}
        row = [self.state["step"], self.state["samples"], round(self.state["cpu_seconds"]), *means.values()]
        print("step {} samples {} cpu {} s ".format(*row[:3]), means, flush=True)
        with open(os.path.join(self.folder, "loss.csv"), "a", newline="") as log:
            csv.writer(log).writerow(row)
        self.sums, self.count = {}, 0

    def save(self):
        saved = {"model": self.model.state_dict(), "optimizer": self.optimizer.state(), "state": self.state}
        torch.save(saved, self.path + ".tmp")
        os.replace(self.path + ".tmp", self.path)
        self.saved_at = time.time()


@torch.no_grad()
def load_averaged(model, folder):
    """Loads a run's averaged weights into the model, for evaluation; returns its counts."""
    saved = torch.load(os.path.join(folder, "checkpoint.pt"))
    model.load_state_dict(saved["model"])
    for name, p in model.named_parameters():
        p.copy_(saved["optimizer"]["average"][name])
    return saved["state"]


def schedule(progress, step):
    """Warm-up, a plateau, a linear fall over the last half."""
    return min(1.0, (step + 1) / 100) * min(1.0, max(0.01, (1 - progress) / 0.5))
