"""The whole recipe in one command: `python3 scripts/train/chat/train.py`.

Steps: tokenizer -> training (resumable: run it again) -> GGUF and manifest. Scores come from `npm run eval:builtin`.
Work files live in .run/ beside this file (or --run FOLDER), which git ignores; `--fresh` starts over.
"""
import argparse
import hashlib
import itertools
import json
import multiprocessing
import os
import random
import shutil
import time
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "16384")  # else kernels are made anew for the shapes of most steps
import torch  # noqa: E402

import gguf  # noqa: E402
from checkpoint import COPY_STEPS, HERE, VOCAB, begin_from, load_tokenizer, restore, save  # noqa: E402
from data import arrays, batches, samples  # noqa: E402
from model import DEVICE, loss  # noqa: E402
from team import Team  # noqa: E402

NAME, TITLE = "hearth-tiny-5m", "Hearth Tiny 5M"
MODEL_DIR = HERE.parents[2] / "models" / NAME
CHUNK, BATCHES = 768, {"cpu": 48, "cuda": 6}  # samples generated and sorted at a time, and the batches made of them
COPY_CHUNK, COPY_BATCHES = 256, 12  # the same in the copying phase
AHEAD = 2  # chunks that each loader has ready or in the making
SAVE_SECONDS = 120
PAUSE_SECONDS = 20  # a step that took longer was a pause, and is not training time


def schedule(progress, steps, fall):
    """Warm-up over the first `steps` of a sitting, a plateau, a linear fall over the last part of the time, `fall` of it."""
    return min(1.0, (steps + 1) / 40) * min(1.0, max(0.02, (1 - progress) / fall))


def copy_kinds(step):
    """Few kinds of tokens until copying is found, which takes a hundred steps then and thousands with all at once; then more and more."""
    return int(128 * 2 ** max(0, (step - 90) / 25))


def chunk_of(seed, tokenizer, step):
    """The samples of one chunk, copies first."""
    if step < COPY_STEPS:
        return samples(seed, tokenizer, COPY_CHUNK, 1, copy_kinds(step))
    return samples(seed, tokenizer, CHUNK, 0.06, VOCAB)


@dataclass
class Run:
    team: Team
    tokenizer: object
    state: dict
    args: argparse.Namespace

    def progress(self):
        return self.state["seconds"] / 60 / self.args.minutes

    def seed(self, rank, chunk):
        """`sitting` keeps a resumed run from seeing the same samples again."""
        return (self.state["sitting"] * 64 + rank) * 1_000_000 + chunk

    def chunks(self, rank):
        """Chunks of fresh samples without end; made ahead by other processes where there are loaders."""
        chunk = 0
        while self.args.loaders == 0 or self.state["step"] < COPY_STEPS:
            chunk += 1
            yield chunk_of(self.seed(rank, chunk), self.tokenizer, self.state["step"])
        with ProcessPoolExecutor(self.args.loaders, multiprocessing.get_context("spawn")) as pool:
            begin = lambda chunk: pool.submit(chunk_of, self.seed(rank, chunk), self.tokenizer, COPY_STEPS)
            made = deque(begin(chunk + i + 1) for i in range(self.args.loaders * AHEAD))
            for following in itertools.count(chunk + 1 + len(made)):
                made.append(begin(following))
                yield made.popleft().result()

    def batches(self, rank):
        """Batches of fresh samples without end, copies first."""
        for number, encoded in enumerate(self.chunks(rank)):
            count = COPY_BATCHES if self.state["step"] < COPY_STEPS else BATCHES[DEVICE]
            yield from batches(encoded, random.Random(number), count)

    def work(self, rank):
        """Trains until the minutes are used up; rank 0 tells and saves."""
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
        state, last_told, losses = self.state, time.time(), []
        begun = state["step"]
        last_save = now = time.time()
        for batch in self.batches(rank):
            ids, rows, cols, targets = (torch.from_numpy(a).to(DEVICE) for a in arrays(batch))
            batch_loss = loss(self.team.model, ids, rows, cols, targets)
            now, last = time.time(), now
            scale = self.args.rate * schedule(min(1, self.progress()), state["step"] - begun, self.args.fall)
            mean, tokens, seconds = self.team.step(rank, batch_loss, ids.numel(), min(now - last, PAUSE_SECONDS), scale, state["step"] + 1)
            state["step"] += 1
            state["tokens"] += tokens
            state["seconds"] += seconds
            losses.append(mean)
            if rank == 0 and now - last_told > 15:
                self.tell(losses)
                last_told, losses = now, []
            if rank == 0 and now - last_save > SAVE_SECONDS:
                save(self.args.run, self.team.model, self.team.optimizer, state)
                last_save = now
            if self.progress() >= 1:
                break
        if rank == 0:
            save(self.args.run, self.team.model, self.team.optimizer, state)

    def tell(self, losses):
        state, mean = self.state, sum(losses) / len(losses)
        print(f"step {state['step']} tokens {state['tokens'] / 1e6:.2f}M minutes {state['seconds'] / 60:.1f} loss {mean:.4f}", flush=True)
        with open(self.args.run / "loss.csv", "a") as log:
            log.write(f"{state['step']},{state['tokens']},{state['seconds']:.0f},{mean:.5f}\n")


def publish(model, tokenizer, folder):
    """Write the GGUF (atomically) and its manifest into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    template = (HERE / "template.jinja").read_text(encoding="utf-8").rstrip("\n")
    target = folder / f"{NAME}.gguf"
    size = gguf.write(target.with_suffix(".part"), model, tokenizer, template, TITLE)
    digest = hashlib.sha256(target.with_suffix(".part").read_bytes()).hexdigest()
    target.with_suffix(".part").replace(target)
    manifest = {
        "id": NAME, "aliases": ["hearth-tiny"], "kind": "chat", "name": TITLE, "family": "qwen3", "version": "2.4.0",
        "file": target.name, "bytes": size, "sha256": digest, "contextTokens": 4 * model.cfg.context,
        "longContext": {"trainedTokens": model.cfg.context, "yarnFactor": 4}, "answerTokensMax": 1024,
        "inputModalities": ["text"], "outputModalities": ["text"],
        "capabilities": {"reasoning": True, "tools": True, "structuredOutputs": True},
        "prices": {"promptTextTokenTicks": 100, "cachedPromptTextTokenTicks": 25, "completionTextTokenTicks": 400},
        "license": "Apache-2.0", "created": 1795305600,
        "madeBy": "scripts/train/chat/train.py, from generated conversations only, on two CPU cores",
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"{target.name}: {size} bytes, sha256 {digest}")


@torch.no_grad()
def average(model, other):
    """Gives the model the mean of its weights and another's."""
    for mine, its in zip(model.parameters(), other.parameters()):
        mine.lerp_(its, 0.5)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=240, help="of training, all sittings together")
    parser.add_argument("--processes", type=int, default=2, help="each takes one core; with a GPU there is only one")
    parser.add_argument("--loaders", type=int, default=0, help="more processes that make conversations, which a GPU needs a dozen of")
    parser.add_argument("--run", type=Path, default=HERE / ".run", help="the folder of work files")
    parser.add_argument("--models", type=Path, default=MODEL_DIR, help="where the model is written")
    parser.add_argument("--from", type=Path, dest="begin_from", help="begin with the tokenizer and the weights of this GGUF, where there is no last run")
    parser.add_argument("--rate", type=float, default=1.0, help="of the usual learning rate; less is better for a trained model")
    parser.add_argument("--fall", type=float, default=0.4, help="the last part of the minutes, in which the learning rate falls to nothing")
    parser.add_argument("--fresh", action="store_true", help="forget the last run")
    parser.add_argument("--mean-with", type=Path, help="publish the mean of the weights and of those of the run in this folder, an earlier copy of --run")
    parser.add_argument("--publish-only", action="store_true", help="only write the GGUF of the last checkpoint")
    args = parser.parse_args()
    args.processes = 1 if DEVICE == "cuda" else args.processes
    if args.loaders and args.processes > 1:
        parser.error("--loaders is for one process of training: a GPU, or --processes 1")
    if not 0 < args.fall <= 1:
        parser.error("--fall must be more than 0 and at most 1")
    if args.mean_with and not (args.mean_with / "checkpoint.pt").is_file():
        parser.error(f"--mean-with: there is no checkpoint.pt in {args.mean_with}")
    if args.begin_from and not args.begin_from.is_file():
        parser.error(f"--from: there is no file {args.begin_from}")
    return args


def main():
    args = arguments()
    torch.set_num_threads(1)
    if args.fresh:
        shutil.rmtree(args.run, ignore_errors=True)
    args.run.mkdir(parents=True, exist_ok=True)
    if args.begin_from and not (args.run / "checkpoint.pt").exists():
        begin_from(args.begin_from, args.run)
    tokenizer = load_tokenizer(args.run)
    assert len(tokenizer) == VOCAB, len(tokenizer)
    model, optimizer, state = restore(args.run, tokenizer, DEVICE)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, from step {state['step']}", flush=True)
    if not args.publish_only:
        state["sitting"] += 1
        run = Run(Team(model, optimizer, args.processes), tokenizer, state, args)
        run.team.start(run.work)
        run.work(0)
    if args.mean_with:
        average(model, restore(args.mean_with, tokenizer, DEVICE)[0])
    publish(model, tokenizer, args.models)


if __name__ == "__main__":
    main()
