"""Several processes training one model: weights, optimiser state and gradients lie in shared memory. In every step each
process takes a batch of its own, then updates its share of the weights with the mean of all gradients.
"""
import torch
import torch.multiprocessing as mp

WAIT_SECONDS = 900


class Team:
    """Made before the processes are forked; each of the `size` calls `step` with its rank."""

    def __init__(self, model, optimizer, size):
        self.model, self.optimizer, self.size = model, optimizer, size
        model.share_memory()
        optimizer.share_memory()
        self.gradients = [{n: torch.zeros_like(p).share_memory_() for n, p in model.named_parameters()} for _ in range(size)]
        self.views = [self.by_part(g) for g in self.gradients]
        self.losses, self.tokens, self.seconds = (torch.zeros(size, dtype=torch.float64).share_memory_() for _ in range(3))
        names = optimizer.names()
        self.shares = [names[rank::size] for rank in range(size)]
        self.barrier = mp.get_context("fork").Barrier(size)

    def by_part(self, gradients):
        named = {id(p): gradients[n] for n, p in self.model.named_parameters()}
        return {"token_embd": gradients["token_embd"], **dict(self.model.matrices(lambda p: named[id(p)]))}

    def start(self, work):
        """Runs work(rank) in size - 1 processes more; the caller is rank 0."""
        for rank in range(1, self.size):
            mp.get_context("fork").Process(target=work, args=(rank,), daemon=True).start()

    def step(self, rank, loss, tokens, seconds, scale, number):
        """Backward, exchange, update number `number` (from 1), at the schedule's factor `scale` 0..1; returns the mean loss, the sum of
        tokens and the longest of `seconds`, the same for all processes. @throws BrokenBarrierError when one of them ended."""
        loss.backward()
        for name, p in self.model.named_parameters():
            self.gradients[rank][name].copy_(p.grad)
            p.grad = None
        self.losses[rank], self.tokens[rank], self.seconds[rank] = loss.item(), tokens, seconds
        self.barrier.wait(WAIT_SECONDS)
        for name in self.shares[rank]:
            mean = sum(views[name] for views in self.views) / self.size
            self.optimizer.update(name, mean, scale, number)
        told = self.losses.mean().item(), int(self.tokens.sum()), self.seconds.max().item()
        self.barrier.wait(WAIT_SECONDS)
        return told
