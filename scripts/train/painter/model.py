"""The painter's networks: a text encoder, and a UNet over latents that attends to the text.

Inputs and outputs are those of a Stable Diffusion pipeline. Inside, the UNet works at 16 x 16 with convolutions and at 8 x 8
with convolutions and attention; batch norms instead of group norms, because they cost nothing after folding.
"""
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shapes"))
import torch  # noqa: E402
import torch.nn as nn  # noqa: E402
import torch.nn.functional as F  # noqa: E402

from autoencoder import double  # noqa: E402
from clip_tokens import LENGTH  # noqa: E402
from layers import Conv  # noqa: E402

TEXT, WIDE, DEEP, TIME = 128, 64, 128, 192


class Norm(nn.LayerNorm):
    """Layer norm in float32, whatever the input type."""

    def forward(self, x):
        return F.layer_norm(x.float(), self.normalized_shape, self.weight, self.bias, self.eps)


class Attention(nn.Module):
    def __init__(self, width, seen_width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(seen_width, width, bias=False)
        self.value = nn.Linear(seen_width, width, bias=False)
        self.out = nn.Linear(width, width)
        nn.init.normal_(self.out.weight, std=0.3 / width ** 0.5)

    def forward(self, x, seen, mask=None):
        split = lambda y: y.view(y.shape[0], y.shape[1], self.heads, self.size).transpose(1, 2)
        scores = (split(self.query(x)) * self.size ** -0.5) @ split(self.key(seen)).transpose(-1, -2)
        if mask is not None:
            scores = scores + mask.to(scores.dtype)
        mixed = scores.softmax(-1) @ split(self.value(seen))
        return self.out(mixed.transpose(1, 2).flatten(2))


class Feed(nn.Module):
    def __init__(self, width, times):
        super().__init__()
        self.up, self.down = nn.Linear(width, times * width), nn.Linear(times * width, width)
        nn.init.normal_(self.down.weight, std=0.3 / self.down.in_features ** 0.5)

    def forward(self, x):
        return self.down(F.relu(self.up(x)))


class TextEncoder(nn.Module):
    """Ids [n, 64] to states [n, 64, 128]; positions after the end are zero."""

    def __init__(self, vocabulary, end, layers=2):
        super().__init__()
        self.end = end
        self.token, self.place = nn.Embedding(vocabulary, TEXT), nn.Embedding(LENGTH, TEXT)
        self.norms = nn.ModuleList(nn.ModuleList([Norm(TEXT), Norm(TEXT)]) for _ in range(layers))
        self.attentions = nn.ModuleList(Attention(TEXT, TEXT, 4) for _ in range(layers))
        self.feeds = nn.ModuleList(Feed(TEXT, 3) for _ in range(layers))
        self.norm = Norm(TEXT)
        nn.init.normal_(self.token.weight, std=0.3)
        nn.init.normal_(self.place.weight, std=0.3)

    def forward(self, ids):
        is_end = (ids == self.end).to(torch.int64)
        kept = (torch.cumsum(is_end, 1) - is_end == 0).float()
        mask = ((kept - 1) * 1e4)[:, None, None, :]
        x = self.token(ids) + self.place.weight[: ids.shape[1]]
        for (first, second), attention, feed in zip(self.norms, self.attentions, self.feeds):
            h = first(x)
            x = x + attention(h, h, mask)
            x = x + feed(second(x))
        return self.norm(x) * kept[:, :, None]


class TimedResidual(nn.Module):
    """Two convolutions with a shortcut; the timestep scales and shifts the activations between them."""

    def __init__(self, width):
        super().__init__()
        self.first = Conv(width, width, linear=True)
        self.second = Conv(width, width, linear=True, start=0.2)
        self.time = nn.Linear(TIME, 2 * width)
        nn.init.zeros_(self.time.weight)
        nn.init.zeros_(self.time.bias)

    def forward(self, x, time):
        h = self.first(x)
        scale, shift = self.time(time)[:, :, None, None].to(h.dtype).chunk(2, 1)
        return F.relu(x + self.second(F.relu(h * (scale + 1) + shift)))


class Look(nn.Module):
    """Self-attention over the 64 positions, attention to the text, and a feed-forward part."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2, self.norm3 = Norm(DEEP), Norm(DEEP), Norm(DEEP)
        self.own, self.text = Attention(DEEP, DEEP, 4), Attention(DEEP, TEXT, 4)
        self.feed = Feed(DEEP, 4)

    def forward(self, x, text):
        n, c, height, width = x.shape
        x = x.permute(0, 2, 3, 1).reshape(n, height * width, c)
        h = self.norm1(x)
        x = x + self.own(h, h)
        x = x + self.text(self.norm2(x), text)
        x = x + self.feed(self.norm3(x))
        return x.reshape(n, height, width, c).permute(0, 3, 1, 2)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time1, self.time2, self.summary = nn.Linear(64, TIME), nn.Linear(TIME, TIME), nn.Linear(TEXT, TIME)
        self.enter = nn.Conv2d(4, WIDE, 3, padding=1)
        self.place = nn.Parameter(torch.randn(1, WIDE, 16, 16) * 0.3)
        self.before = nn.ModuleList(TimedResidual(WIDE) for _ in range(2))
        self.down = Conv(WIDE, DEEP, stride=2)
        self.deep = nn.ModuleList(TimedResidual(DEEP) for _ in range(3))
        self.looks = nn.ModuleList(Look() for _ in range(3))
        self.up = nn.Conv2d(DEEP, 4 * WIDE, 1)
        self.join = Conv(2 * WIDE, WIDE)
        self.after = nn.ModuleList(TimedResidual(WIDE) for _ in range(2))
        self.leave = nn.Conv2d(WIDE, 4, 3, padding=1)

    def forward(self, sample, timestep, text):
        """Latents [n, 4, 16, 16], timesteps [n] or [1], text states: the predicted velocity, like the latents."""
        time = F.relu(self.time2(F.relu(self.time1(waves(timestep.reshape(-1).float())))) + self.summary(text[:, 0]))
        x = F.relu(self.enter(sample) + self.place)
        for block in self.before:
            x = block(x, time)
        kept, x = x, self.down(x)
        for block, look in zip(self.deep, self.looks):
            x = look(block(x, time), text)
        x = self.join(torch.cat([kept, double(self.up(x)).to(kept.dtype)], 1))
        for block in self.after:
            x = block(x, time)
        return self.leave(x).float()


def waves(timestep):
    """Sines and cosines of 32 frequencies: [n, 64]."""
    frequency = torch.exp(-math.log(1000) * torch.arange(32) / 31)
    angle = timestep[:, None] * frequency[None, :]
    return torch.cat([torch.sin(angle), torch.cos(angle)], 1)


class Painter(nn.Module):
    def __init__(self, tokenizer):
        super().__init__()
        self.text = TextEncoder(len(tokenizer.vocab), tokenizer.end)
        self.unet = UNet()
