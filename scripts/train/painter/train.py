"""Trains the painter: `nice python3 scripts/train/painter/train.py` after autoencoder.py (resumable; then export.py).

Pictures are encoded in sets of some tens of thousands; each is used a few times, with another prompt every time.
"""
import argparse
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

from autoencoder import SIDE, Autoencoder  # noqa: E402
from clip_tokens import Tokenizer  # noqa: E402
from layers import pixels_to_depth  # noqa: E402
from model import Painter  # noqa: E402
from render import picture  # noqa: E402
from sentences import request, scene_of_side  # noqa: E402
from training import Optimizer, Run, load_averaged, schedule  # noqa: E402
from world import is_held, source  # noqa: E402

HERE = Path(__file__).resolve().parent
BATCH, STEPS, PURE = 64, 1000, 4
PROMPTS = 4  # how often a picture is used, on average, before the whole set is replaced
SILENT = 0.1  # the share of empty prompts, for guidance
WORLD = {"free_colors": False, "empty_share": 0.01, "counts": (30, 36, 19, 15), "usual_share": 0.55}


def alphas():
    """Cumulative products of 1 - beta for the scaled linear betas of Stable Diffusion."""
    betas = torch.linspace(0.00085 ** 0.5, 0.012 ** 0.5, STEPS) ** 2
    return torch.cumprod(1 - betas, 0)


def load_autoencoder(folder):
    """Returns the autoencoder of a run with averaged weights, in evaluation mode."""
    model = Autoencoder().to(memory_format=torch.channels_last)
    load_averaged(model, folder)
    return model.eval().requires_grad_(False)


def scenes_of(first, count):
    """Scenes of the training side from number `first`."""
    starts = range(first, first + count, 64)
    sources = [source(2_000_000 + start) for start in starts]
    return [scene_of_side(r, False, **WORLD)[0] for r in sources for _ in range(64)]


@torch.no_grad()
def encoded(model, scenes):
    """The latents of scenes: [count, 4, 16, 16] in bfloat16."""
    latents = []
    for start in range(0, len(scenes), 64):
        group = scenes[start:start + 64]
        squares = pixels_to_depth(torch.from_numpy(np.stack([picture(s, SIDE) for s in group])), 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            latents.append(model.encoder(squares).bfloat16())
    return torch.cat(latents)


def data_of(args, turn):
    """Returns the scenes and latents of a set; the latents of the last set are stored on disk."""
    first = turn * args.pictures % 921_600
    path = os.path.join(args.run, "latents.pt")
    kept = torch.load(path) if os.path.exists(path) else {}
    scenes = scenes_of(first, args.pictures)
    if kept.get("first") != first or len(kept["latents"]) != args.pictures:
        kept = {"first": first, "latents": encoded(load_autoencoder(args.autoencoder), scenes)}
        torch.save(kept, path)
    return scenes, kept["latents"]


def prompt(scene, r):
    """Returns a request, sometimes empty. Held-out texts are used only by the evaluation."""
    if r.random() < SILENT:
        return ""
    text = request(scene, r)
    while is_held(text.lower()):
        text = request(scene, r)
    return text


def loss_of(model, latents, ids, cumulative):
    """Mean squared error of the velocity. Late timesteps, at which only the text determines the picture, are sampled more often
    (the probability grows with the timestep), evenly over the batch; some samples are at the last timestep and pure noise."""
    n = latents.shape[0]
    times = (((torch.arange(n) + torch.rand(n)) / n).sqrt() * STEPS).long().clamp(max=STEPS - 1)
    times[-PURE:] = STEPS - 1
    a = cumulative[times][:, None, None, None]
    noise = torch.randn_like(latents)
    seen = a.sqrt() * latents + (1 - a).sqrt() * noise
    seen[-PURE:] = noise[-PURE:]
    target = a.sqrt() * noise - (1 - a).sqrt() * latents
    with torch.autocast("cpu", dtype=torch.bfloat16):
        text = model.text(ids)
        guess = model.unet(seen.bfloat16().contiguous(memory_format=torch.channels_last), times, text)
    return F.mse_loss(guess, target)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu-minutes", type=float, default=82)
    parser.add_argument("--pictures", type=int, default=76_800)
    parser.add_argument("--run", default=str(HERE / ".run" / "unet"))
    parser.add_argument("--autoencoder", default=str(HERE / ".run" / "autoencoder"))
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    tokenizer = Tokenizer()
    model = Painter(tokenizer).to(memory_format=torch.channels_last)
    optimizer = Optimizer(model, plain=("token", "text.place", "unet.place", "time1", "leave"), average=0.999)
    run = Run(args.run, model, optimizer)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {len(tokenizer.vocab)} tokens, from step {run.state['step']}", flush=True)
    torch.manual_seed(run.state["step"] + 2)
    cumulative, turn = alphas(), -1
    while run.progress(args.cpu_minutes) < 1:
        if run.state["samples"] // (PROMPTS * args.pictures) != turn:
            turn = run.state["samples"] // (PROMPTS * args.pictures)
            scenes, latents = data_of(args, turn)
        r = source(3_000_000 + run.state["step"])
        chosen = [r.randrange(len(scenes)) for _ in range(BATCH)]
        ids = torch.tensor([tokenizer.encode(prompt(scenes[i], r)) for i in chosen])
        loss = loss_of(model, latents[chosen].float(), ids, cumulative)
        loss.backward()
        optimizer.step(schedule(run.progress(args.cpu_minutes), run.state["step"]))
        run.note(BATCH, loss=loss.item())
    run.save()


if __name__ == "__main__":
    main()
