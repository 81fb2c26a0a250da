"""The painter's autoencoder: 128 x 128 pixels <-> 4 x 16 x 16 numbers of mean 0 and deviation 1.

    nice python3 scripts/train/painter/autoencoder.py --cpu-minutes 8
    nice python3 scripts/train/painter/autoencoder.py --cpu-minutes 13 --decoder-only    # once more, for sharper edges

The second run trains the decoder on the painter's images; the encoder stays unchanged, because the UNet has learned its latents.
"""
import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shapes"))
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn as nn  # noqa: E402

from layers import Conv, Residual, pixels_to_depth  # noqa: E402
from render import picture  # noqa: E402
from sentences import scene_of_side  # noqa: E402
from training import Optimizer, Run, schedule  # noqa: E402
from world import source  # noqa: E402

SIDE, BATCH = 128, 48
LATENT_NOISE = 0.06


class Encoder(nn.Module):
    """Squares of 4 pixels [n, 48, 32, 32] to latents [n, 4, 16, 16]."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(Conv(48, 48), Conv(48, 96, stride=2), Residual(96))
        self.out = nn.Conv2d(96, 4, 1)
        self.unit = nn.BatchNorm2d(4, affine=False, momentum=0.02)

    def forward(self, squares):
        return self.unit(self.out(self.body(squares)).float())


class Decoder(nn.Module):
    """Latents [n, 4, 16, 16] to squares [n, 48, 32, 32]; `pixel_shuffle(4)` of them is the picture."""

    def __init__(self):
        super().__init__()
        self.low = nn.Sequential(Conv(4, 96), Residual(96), Residual(96))
        self.up = nn.Conv2d(96, 256, 1)
        self.high = nn.Sequential(Conv(64, 64), Residual(64))
        self.out = nn.Conv2d(64, 48, 3, padding=1)

    def forward(self, latents):
        return self.out(self.high(double(self.up(self.low(latents)))))


def double(x):
    """Channels to twice the side, in steps that keep the channels-last layout: [n, 4c, h, w] to [n, c, 2h, 2w]."""
    n, c, h, w = x.shape
    x = x.permute(0, 2, 3, 1).reshape(n, h, w, 2, 2, c // 4)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(n, 2 * h, 2 * w, c // 4).permute(0, 3, 1, 2)


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = Encoder(), Decoder()


def pictures(r, count, usual_share):
    """Scenes of the training side as a uint8 tensor [count, 128, 128, 3]."""
    scenes = (scene_of_side(r, False, usual_share, free_colors=False)[0] for _ in range(count))
    return torch.from_numpy(np.stack([picture(s, SIDE) for s in scenes]))


def loss_of(model, images, decoder_only):
    squares = pixels_to_depth(images, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with torch.set_grad_enabled(not decoder_only):
            latents = model.encoder(squares)
        out = model.decoder((latents + LATENT_NOISE * torch.randn_like(latents)).bfloat16())
    error = (out.float() - squares.float()).abs()
    # Things cover a tenth of a picture: squares that differ from the corner, which is background, have more weight.
    contrast = (squares - squares[:, :, :1, :1]).float().abs().amax(1, keepdim=True)
    uneven = (contrast > 0.05).float()
    if decoder_only:  # An orange star on yellow should have as much weight as a black one on white.
        return ((1 + 4 * uneven / (0.3 + contrast)) * error).mean(), error.mean()
    return ((1 + 3 * uneven) * (error + error.square())).mean(), error.mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu-minutes", type=float, default=8)
    parser.add_argument("--run", default=str(Path(__file__).resolve().parent / ".run" / "autoencoder"))
    parser.add_argument("--decoder-only", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Autoencoder().to(memory_format=torch.channels_last)
    model.encoder.requires_grad_(not args.decoder_only)
    optimizer = Optimizer(model, plain=("encoder.out", "decoder.out"), average=0.998)
    run = Run(args.run, model, optimizer)
    if args.decoder_only:
        with torch.no_grad():
            for name, p in model.encoder.eval().named_parameters():
                p.copy_(optimizer.average["encoder." + name])
    torch.manual_seed(run.state["step"] + 2)
    while run.progress(args.cpu_minutes) < 1:
        images = pictures(source(1_000_000 + run.state["step"]), BATCH, 0.3 if args.decoder_only else None)
        loss, error = loss_of(model, images, args.decoder_only)
        loss.backward()
        optimizer.step(schedule(run.progress(args.cpu_minutes), run.state["step"]))
        run.note(BATCH, loss=loss.item(), l1=error.item())
    run.save()


if __name__ == "__main__":
    main()
