"""Generates images with the last checkpoint: `python3 scripts/train/painter/draw.py --prompt "a red circle on white" --out circle.png`.

Without a prompt it generates images for held-out requests, captions them with the captioner, and prints how often objects, colours
and places match.
"""
import argparse
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from PIL import Image  # noqa: E402

from clip_tokens import Tokenizer  # noqa: E402
from export import GUIDANCE, STEPS, load_painter  # noqa: E402
from train import HERE, alphas, load_autoencoder  # noqa: E402
from layers import pixels_to_depth  # noqa: E402
from sentences import scene_of_side  # noqa: E402
from training import load_averaged  # noqa: E402
from world import source  # noqa: E402


@torch.no_grad()
def draw(model, decoder, tokenizer, prompts, seed, steps=STEPS, guidance=GUIDANCE):
    """uint8 [n, 128, 128, 3]: DDIM, trailing timesteps, with classifier-free guidance."""
    n, cumulative = len(prompts), alphas()
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 4, 16, 16, generator=generator)
    ids = torch.tensor([tokenizer.encode(p) for p in [""] * n + prompts])
    times = [round(1000 - i * 1000 / steps) - 1 for i in range(steps)]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        text = model.text(ids)
        for i, t in enumerate(times):
            both = torch.cat([x, x]).bfloat16().contiguous(memory_format=torch.channels_last)
            without, with_prompt = model.unet(both, torch.full((2 * n,), t), text).chunk(2)
            v = without + guidance * (with_prompt - without)
            a = cumulative[t]
            b = cumulative[times[i + 1]] if i + 1 < steps else torch.tensor(1.0)
            clean, noise = a.sqrt() * x - (1 - a).sqrt() * v, a.sqrt() * v + (1 - a).sqrt() * x
            x = b.sqrt() * clean + (1 - b).sqrt() * noise
        squares = decoder(x.bfloat16().contiguous(memory_format=torch.channels_last))
    pixels = F.pixel_shuffle(squares.float().contiguous(), 4).clamp(-1, 1)
    return ((pixels + 1) * 127.5).round().permute(0, 2, 3, 1).to(torch.uint8)


def grid(images, columns):
    rows = [np.concatenate([np.pad(i, ((2, 2), (2, 2), (0, 0))) for i in images[s:s + columns].numpy()], 1) for s in range(0, len(images), columns)]
    return Image.fromarray(np.concatenate(rows))


def read_back(images, folder):
    """Returns the captioner's captions of pictures of 128 pixels."""
    for name in ("model", "train"):
        sys.modules.pop(name)
    sys.path.insert(0, str(HERE.parent / "captioner"))
    from model import Captioner
    from train import TOKENS, captions_of
    model = Captioner(len(TOKENS)).to(memory_format=torch.channels_last)
    load_averaged(model, folder)
    pixels = F.interpolate(images.permute(0, 3, 1, 2).float(), size=(96, 96), mode="bilinear", align_corners=False, antialias=True)
    small = pixels.round().clamp(0, 255).to(torch.uint8).permute(0, 2, 3, 1).contiguous()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return captions_of(model.eval(), pixels_to_depth(small, 4))


def parts(caption):
    """Returns the phrases of a caption's list, and its background."""
    things, _, ground = caption.rpartition(" on a")
    return set(things.replace(" and ", ", ").split(", ")), ground


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--prompt")
    parser.add_argument("--out", default="drawn.png")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=64, help="held-out requests to draw when there is no prompt")
    parser.add_argument("--guidance", type=float, default=GUIDANCE)
    parser.add_argument("--run", default=str(HERE / ".run" / "unet"))
    parser.add_argument("--autoencoder", default=str(HERE / ".run" / "autoencoder"))
    parser.add_argument("--captioner", default=str(HERE.parent / "captioner" / ".run"))
    args = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = Tokenizer()
    model, decoder = load_painter(args.run, tokenizer), load_autoencoder(args.autoencoder).decoder
    r = source(args.seed, held=True)
    prompts = [args.prompt] * 8 if args.prompt else [scene_of_side(r, True, free_colors=False)[1] for _ in range(args.count)]
    images = torch.cat([draw(model, decoder, tokenizer, prompts[i:i + 32], args.seed + i, guidance=args.guidance) for i in range(0, len(prompts), 32)])
    grid(images[:32], 8).save(args.out)
    if args.prompt:
        return
    said = read_back(images, args.captioner)
    for asked, answer in list(zip(prompts, said))[:16]:
        print("asked", asked, "\n said", answer)
    whole = sum(a == s for a, s in zip(prompts, said))
    asked_parts = sum(len(parts(a)[0]) for a in prompts)
    kept_parts = sum(len(parts(a)[0] & parts(s)[0]) for a, s in zip(prompts, said))
    grounds = sum(parts(a)[1] == parts(s)[1] for a, s in zip(prompts, said))
    print(f"of {len(prompts)}: whole caption {whole}, ground {grounds}, phrases {kept_parts} of {asked_parts}")


if __name__ == "__main__":
    main()
