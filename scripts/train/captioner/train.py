"""Trains the captioner: `nice python3 scripts/train/captioner/train.py` (resumable; then export.py).

Pictures are rendered at 96, 128 or 64 pixels a side and resized to 96; some are blurred or get noise, so that the model
also captions pictures from other sources, among them the painter's.
"""
import argparse
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

from model import SIDE, Captioner  # noqa: E402
from vocabulary import BEGIN, END, TOKENS, decode, encode  # noqa: E402
from layers import pixels_to_depth  # noqa: E402
from render import picture  # noqa: E402
from sentences import scene_of_side  # noqa: E402
from training import Optimizer, Run, schedule  # noqa: E402
from world import source  # noqa: E402

HERE = Path(__file__).resolve().parent
BATCH = 80
WORLD = {"free_colors": True, "text_share": 0.18, "stretch_share": 0.06, "empty_share": 0.03, "counts": (28, 28, 24, 20), "large_max": 0.44}


def batch(seed, held=False, count=BATCH, spoil=True):
    """Squares, ids and captions of `count` new scenes; `spoil` blurs some and adds noise."""
    r = source(seed, held)
    scenes = [scene_of_side(r, held, **WORLD) for _ in range(count)]
    drawn = r.choices([96, 128, 64], [70, 24, 6])[0] if spoil else SIDE
    images = np.stack([picture(scene, drawn) for scene, _ in scenes])
    images = torch.from_numpy(resized(images, drawn, r))
    squares = pixels_to_depth(images, SIDE // 24)
    if spoil and r.random() < 0.4:
        squares = squares + torch.randn_like(squares) * r.uniform(0, 0.06)
    captions = [caption for _, caption in scenes]
    return squares, padded([encode(c) for c in captions]), captions


def resized(images, drawn, r):
    """Resizes to 96 pixels; some of those rendered at 96 are blurred instead."""
    if drawn == SIDE and r.random() < 0.7:
        return images
    pixels = torch.from_numpy(images).permute(0, 3, 1, 2).float()
    if drawn == SIDE:
        soft = F.avg_pool2d(F.pad(pixels, (1, 1, 1, 1), mode="replicate"), 3, 1)
        pixels = pixels + (soft - pixels) * r.uniform(0.2, 1)
    else:
        pixels = F.interpolate(pixels, size=(SIDE, SIDE), mode="bilinear", align_corners=False, antialias=drawn > SIDE)
    return pixels.clamp(0, 255).round().permute(0, 2, 3, 1).to(torch.uint8).contiguous().numpy()


def padded(rows):
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


@torch.no_grad()
def captions_of(model, squares, longest=60):
    """Returns greedy captions."""
    image = model.encoder(squares)
    ids = torch.full((squares.shape[0], 1), BEGIN)
    done = torch.zeros(squares.shape[0], dtype=torch.bool)
    next_ids, past, out = ids, None, []
    while len(out) < longest and not done.all():
        logits, past = model.decoder(next_ids, image, past)
        next_ids = logits[:, -1].argmax(-1, keepdim=True)
        done |= next_ids[:, 0] == END
        out.append(next_ids)
    rows = torch.cat(out, 1).tolist()
    return [decode(row[:row.index(END)] if END in row else row) for row in rows]


def exact_rate(model, count=240, spoil=False):
    """Returns the share of held-out pictures with the exact caption, and some misses."""
    model.eval()
    right, misses = 0, []
    for i in range(count // BATCH):
        squares, _, captions = batch(i, held=True, spoil=spoil)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            answers = captions_of(model, squares)
        right += sum(a == c for a, c in zip(answers, captions))
        misses += [(c, a) for a, c in zip(answers, captions) if a != c]
    model.train()
    return right / (count // BATCH * BATCH), misses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu-minutes", type=float, default=33)
    parser.add_argument("--run", default=str(HERE / ".run"))
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Captioner(len(TOKENS)).to(memory_format=torch.channels_last)
    optimizer = Optimizer(model, plain=("token", "place", "position"))
    run = Run(args.run, model, optimizer)
    torch.manual_seed(run.state["step"] + 2)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {len(TOKENS)} tokens, from step {run.state['step']}", flush=True)
    while run.progress(args.cpu_minutes) < 1:
        squares, ids, _ = batch(1_000 + run.state["step"])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model.loss(squares, ids)
        loss.backward()
        optimizer.step(schedule(run.progress(args.cpu_minutes), run.state["step"]))
        run.note(BATCH, loss=loss.item())
        if run.state["step"] % 1000 == 0:
            print("exact", exact_rate(model)[0], flush=True)
    run.save()


if __name__ == "__main__":
    main()
