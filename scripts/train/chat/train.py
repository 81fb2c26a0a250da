"""The whole recipe in one command: `python3 scripts/train/chat/train.py`.

Steps: held-out set -> tokenizer -> training (resumable: run it again) -> GGUF and manifest -> evaluation.
Work files live in .run/ beside this file, which git ignores; `--fresh` starts over.
"""
import argparse
import hashlib
import json
import os
import random
import shutil
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import torch  # noqa: E402

import gguf  # noqa: E402
from checkpoint import HERE, RUN, VOCAB, load_items, load_tokenizer, restore, save  # noqa: E402
from data import HeldKeys, arrays, batches, held_out, samples  # noqa: E402
from evaluate import evaluate, report  # noqa: E402

MODEL_DIR = HERE.parents[2] / "models" / "hearth-tiny-3m"
NAME = "hearth-tiny-3m"
CHUNK = 512  # samples generated, sorted and batched at a time
BATCH_TOKENS = 1536


def write_held_out():
    lines = [json.dumps(item, ensure_ascii=False) for item in held_out()]
    (HERE / "heldout.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def schedule(progress, step):
    """Warm-up, a long plateau, a linear fall over the last 40 %."""
    return min(1.0, (step + 1) / 40) * min(1.0, max(0.02, (1 - progress) / 0.4))


def copy_share(progress):
    """The copying phase comes first; a little of it stays."""
    return 0.7 if progress < 0.2 else 0.03


def train_step(model, optimizer, batch, scale):
    ids, rows, cols, targets = (torch.from_numpy(a) for a in arrays(batch))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = model.loss(ids, rows, cols, targets)
    loss.backward()
    optimizer.step(scale)
    return loss.item(), ids.numel()


def train(model, optimizer, state, tokenizer, args, held):
    """Chunks of fresh samples until the steps or the minutes are used up."""
    started, before, last_save, losses = time.time(), state["seconds"], time.time(), []
    progress = lambda: max(state["step"] / args.steps, state["seconds"] / 60 / args.minutes)
    log = open(RUN / "loss.csv", "a")
    while progress() < 1:
        encoded = samples(100_000 + state["chunk"], tokenizer, CHUNK, copy_share(progress()), held)
        for batch in batches(encoded, random.Random(state["chunk"]), BATCH_TOKENS):
            loss, tokens = train_step(model, optimizer, batch, schedule(min(1, progress()), state["step"]))
            losses.append(loss)
            state["step"] += 1
            state["tokens"] += tokens
            state["seconds"] = before + time.time() - started
        state["chunk"] += 1
        mean = sum(losses) / len(losses)
        print(f"step {state['step']} tokens {state['tokens'] / 1e6:.2f}M minutes {state['seconds'] / 60:.1f} loss {mean:.4f}", flush=True)
        log.write(f"{state['step']},{state['tokens']},{state['seconds']:.0f},{mean:.5f}\n")
        log.flush()
        losses = []
        if time.time() - last_save > 120:
            save(model, optimizer, state)
            last_save = time.time()
    save(model, optimizer, state)


def publish(model, tokenizer):
    """Write the GGUF (atomically) and its manifest."""
    MODEL_DIR.mkdir(parents=True, exist_ok=True)
    template = (HERE / "template.jinja").read_text(encoding="utf-8").rstrip("\n")
    target = MODEL_DIR / f"{NAME}.gguf"
    size = gguf.write(RUN / "new.gguf", model, tokenizer, template, "Hearth Tiny 3M")
    digest = hashlib.sha256((RUN / "new.gguf").read_bytes()).hexdigest()
    shutil.copyfile(RUN / "new.gguf", target.with_suffix(".part"))
    target.with_suffix(".part").replace(target)
    manifest = {
        "id": NAME, "aliases": ["hearth-tiny"], "kind": "chat", "name": "Hearth Tiny 3M", "family": "qwen3", "version": "1.0.0",
        "file": target.name, "bytes": size, "sha256": digest, "contextTokens": model.cfg.context,
        "inputModalities": ["text"], "outputModalities": ["text"],
        "capabilities": {"reasoning": True, "tools": True, "structuredOutputs": True},
        "prices": {"promptTextTokenTicks": 100, "cachedPromptTextTokenTicks": 25, "completionTextTokenTicks": 400},
        "license": "Apache-2.0", "created": 1795219200,
        "madeBy": "scripts/train/chat/train.py, from generated conversations only, on one CPU thread",
    }
    (MODEL_DIR / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"{target.name}: {size} bytes, sha256 {digest}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=9000)
    parser.add_argument("--minutes", type=float, default=45, help="stop earlier when training took this long")
    parser.add_argument("--fresh", action="store_true", help="forget the last run")
    parser.add_argument("--publish-only", action="store_true", help="only write the GGUF of the last checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.fresh:
        shutil.rmtree(RUN, ignore_errors=True)
    RUN.mkdir(exist_ok=True)
    if not args.publish_only:
        write_held_out()
    items = load_items()
    tokenizer = load_tokenizer()
    assert len(tokenizer) == VOCAB, len(tokenizer)
    model, optimizer, state = restore(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {len(items)} held-out prompts, from step {state['step']}", flush=True)
    if not args.publish_only:
        train(model, optimizer, state, tokenizer, args, HeldKeys(items))
    publish(model, tokenizer)
    if not args.publish_only:
        with open(RUN / "misses.jsonl", "w", encoding="utf-8") as misses:
            print(report(evaluate(model, tokenizer, items, misses)))


if __name__ == "__main__":
    main()
