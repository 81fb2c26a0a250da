"""The captioner's network: a residual convolution encoder over 96 x 96 pixels with one self-attention
layer over its 144 positions (to count equal things at any position), and a GPT-2-like decoder that attends to these positions. Shapes and names at export are
those of a VisionEncoderDecoder with a GPT-2 decoder.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shapes"))
import torch  # noqa: E402
import torch.nn as nn  # noqa: E402
import torch.nn.functional as F  # noqa: E402

from layers import Conv, Residual  # noqa: E402

SIDE, WIDTH, HEADS, LAYERS, CONTEXT = 96, 128, 4, 3, 64


class Norm(nn.LayerNorm):
    """Layer norm in float32, whatever the input type."""

    def forward(self, x):
        return F.layer_norm(x.float(), self.normalized_shape, self.weight, self.bias, self.eps)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, seen, mask=None, past=None):
        """`past` is (key, value) of earlier positions; returns the output and all keys and values."""
        query, key, value = split(self.query(x)), split(self.key(seen)), split(self.value(seen))
        if past is not None:
            key, value = torch.cat([past[0], key], 2), torch.cat([past[1], value], 2)
        scores = (query * (WIDTH // HEADS) ** -0.5) @ key.transpose(-1, -2)
        if mask is not None:
            scores = scores + mask.to(scores.dtype)
        mixed = scores.softmax(-1) @ value
        return self.out(mixed.transpose(1, 2).flatten(2)), (key, value)


def split(x):
    """[n, t, width] to [n, heads, t, width / heads]."""
    return x.view(x.shape[0], x.shape[1], HEADS, WIDTH // HEADS).transpose(1, 2)


class Encoder(nn.Module):
    """Squares of 4 pixels [n, 48, 24, 24] to [n, 144, width]."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(Conv(48, 64), Residual(64), Conv(64, WIDTH, stride=2), Residual(WIDTH), Residual(WIDTH))
        self.position = nn.Parameter(torch.randn(144, WIDTH) * 0.5)
        self.norm1, self.norm2, self.norm = Norm(WIDTH), Norm(WIDTH), Norm(WIDTH)
        self.own = Attention()
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        for layer in (self.own.out, self.down):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, squares):
        x = self.body(squares).permute(0, 2, 3, 1).reshape(squares.shape[0], 144, WIDTH)
        x = x.float() + self.position
        h = self.norm1(x)
        x = x + self.own(h, h)[0]
        x = x + self.down(F.relu(self.up(self.norm2(x))))
        return self.norm(x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2, self.norm3 = Norm(WIDTH), Norm(WIDTH), Norm(WIDTH)
        self.own, self.cross = Attention(), Attention()
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, image, mask, past=None):
        h = self.norm1(x)
        own, present = self.own(h, h, mask, past)
        x = x + own
        x = x + self.cross(self.norm2(x), image)[0]
        return x + self.down(F.relu(self.up(self.norm3(x)))), present


class Decoder(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.token = nn.Embedding(vocabulary, WIDTH)
        self.place = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = Norm(WIDTH)
        nn.init.normal_(self.token.weight, std=0.1)
        nn.init.normal_(self.place.weight, std=0.1)
        for block in self.blocks:
            for layer in (block.own.out, block.cross.out, block.down):
                nn.init.normal_(layer.weight, std=0.3 / layer.in_features ** 0.5)

    def forward(self, ids, image, past=None):
        """Logits [n, t, vocabulary] and the keys and values of every layer, continuing after `past`."""
        start = 0 if past is None else past[0][0].shape[2]
        end = start + ids.shape[1]
        x = self.token(ids) + self.place.weight[torch.arange(start, end).clamp(max=CONTEXT - 1)]
        mask = torch.full((end, end), -1e4).triu(1)[start:]
        presents = []
        for i, block in enumerate(self.blocks):
            x, present = block(x, image, mask, None if past is None else past[i])
            presents.append(present)
        return self.norm(x) @ self.token.weight.t(), presents


class Captioner(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.encoder, self.decoder = Encoder(), Decoder(vocabulary)

    def loss(self, squares, ids):
        """Mean cross entropy of each next token; padding (id 0) is ignored."""
        logits, _ = self.decoder(ids[:, :-1], self.encoder(squares))
        return F.cross_entropy(logits.float().flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)
