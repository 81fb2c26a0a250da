"""The world that the captioner reads and the painter draws: scenes of 1 to 4 flat shapes, or a short word.

A scene is plain data (no pixels): `render.py` draws it, `sentences.py` says it. Objects stand in distinct cells of a
3 x 3 grid. A scene belongs to the held-out side when the checksum of its caption says so: the training side throws such
scenes away, the evaluation draws only such scenes, so that no caption is ever on both sides.
"""
import random
import zlib
from dataclasses import dataclass

# Each colour: the one the painter uses first, then other values that people call by the same name.
COLORS = {
    "red": [(222, 40, 40), (255, 0, 0), (200, 20, 30), (220, 60, 60)],
    "orange": [(245, 140, 30), (255, 165, 0), (255, 128, 0), (240, 120, 20)],
    "yellow": [(250, 220, 50), (255, 255, 0), (255, 230, 0), (240, 215, 70)],
    "green": [(50, 160, 70), (0, 128, 0), (0, 200, 0), (0, 255, 0), (60, 180, 60)],
    "blue": [(45, 95, 220), (0, 0, 255), (30, 60, 200), (60, 120, 230)],
    "purple": [(135, 55, 175), (128, 0, 128), (150, 60, 190), (110, 40, 150)],
    "pink": [(250, 140, 185), (255, 192, 203), (255, 105, 180), (250, 160, 200)],
    "brown": [(125, 75, 35), (139, 69, 19), (110, 65, 30), (150, 90, 50)],
    "black": [(15, 15, 15), (0, 0, 0), (30, 30, 30)],
    "gray": [(130, 130, 130), (128, 128, 128), (150, 150, 150), (110, 110, 110)],
    "white": [(252, 252, 252), (255, 255, 255), (245, 245, 245)],
}
SHAPES = ["circle", "square", "triangle", "diamond", "star", "heart", "cross", "ring", "moon", "arrow"]
SIZES = ["small", "large"]
ROWS, COLUMNS = ["top", "", "bottom"], ["left", "", "right"]
GROUND_WEIGHTS = {"white": 8, "black": 3}
STRETCHES = [0.67, 0.75, 1.33, 1.5]


@dataclass(frozen=True)
class Thing:
    """One object. Place and radius are fractions of the image's side; cell counts 0 to 8 in reading order."""
    shape: str
    color: str
    size: str
    cell: int
    x: float
    y: float
    radius: float
    rgb: tuple

    def kind(self):
        return (self.size, self.color, self.shape)


@dataclass(frozen=True)
class Scene:
    """What is seen: things in reading order, or a text; the ground's name and value. `stretch` is how much narrower (above 1)
    or lower (below 1) things look, as in a picture that was not square and was made so."""
    things: tuple
    text: str
    text_color: str
    text_rgb: tuple
    ground: str
    ground_rgb: tuple
    seed: int
    stretch: float = 1.0


def is_held(caption):
    """Whether the scene of this caption is kept for evaluation (one in eight)."""
    return zlib.crc32(caption.encode()) % 8 == 0


def draw_scene(r, free_colors, text_share=0.0, stretch_share=0.0, empty_share=0.0, counts=(32, 28, 22, 18), large_max=0.28):
    """One scene from the random source `r`. With `free_colors` the colours vary as people's pictures do, else they are
    the world's own; `text_share` of the scenes show a text, `stretch_share` of the others are stretched, `empty_share` are bare
    ground, `counts` are the weights of 1 to 4 things; a lone large thing's radius goes up to `large_max`."""
    ground = r.choices(list(COLORS), [GROUND_WEIGHTS.get(c, 1) for c in COLORS])[0]
    ground_rgb = pick_rgb(r, ground, free_colors)
    seed = r.getrandbits(31)
    if r.random() < text_share:
        color = r.choice([c for c in COLORS if c != ground])
        return Scene((), draw_text(r), color, pick_rgb(r, color, free_colors), ground, ground_rgb, seed)
    count = 0 if r.random() < empty_share else r.choices([1, 2, 3, 4], counts)[0]
    cells = sorted(r.sample(range(9), count)) if count != 1 or r.random() < 0.7 else [4]
    kinds = draw_kinds(r, count, ground)
    things = tuple(place(r, kind, cell, count == 1, free_colors, large_max) for kind, cell in zip(kinds, cells))
    stretch = r.choice(STRETCHES) if r.random() < stretch_share else 1.0
    return Scene(things, "", "", (), ground, ground_rgb, seed, stretch)


def draw_kinds(r, count, ground):
    """A (size, colour, shape) for each thing; in a third of the scenes with several things some are alike."""
    colors = [c for c in COLORS if c != ground]
    fresh = lambda: (r.choice(SIZES), r.choice(colors), r.choice(SHAPES))
    if count < 2 or r.random() < 0.65:
        return [fresh() for _ in range(count)]
    alike = count if r.random() < 0.6 else r.randint(2, count)
    kinds = [fresh()] * alike
    kinds += [fresh() for _ in range(count - alike)]
    r.shuffle(kinds)
    return kinds


def place(r, kind, cell, alone, free_colors, large_max):
    size, color, shape = kind
    if size == "small":
        radius = r.uniform(0.075, 0.095)
    elif not alone:
        radius = r.uniform(0.135, 0.155)
    else:
        radius = r.uniform(0.135, large_max if cell == 4 else 0.2)
    inside = lambda v: min(max(v, radius + 0.012), 1 - radius - 0.012)
    x = inside((cell % 3 + 0.5) / 3 + r.uniform(-0.03, 0.03))
    y = inside((cell // 3 + 0.5) / 3 + r.uniform(-0.03, 0.03))
    return Thing(shape, color, size, cell, x, y, radius, pick_rgb(r, color, free_colors))


def pick_rgb(r, color, free):
    """The colour's own value, or, when free, any of its values a little changed."""
    if not free:
        return COLORS[color][0]
    spread = 5 if color in ("black", "white", "gray") else 14
    shift = r.randint(-spread, spread)
    return tuple(min(255, max(0, v + shift + r.randint(-6, 6))) for v in r.choice(COLORS[color]))


def draw_text(r):
    """A number of 1 to 4 digits or a pronounceable word of 2 to 5 capital letters."""
    if r.random() < 0.5:
        return str(r.randint(0, 10 ** r.randint(1, 4) - 1))
    length, word = r.randint(2, 5), ""
    vowel = r.random() < 0.4
    while len(word) < length:
        word += r.choice("AEIOU" if vowel else "BCDFGHJKLMNPQRSTVWXYZ")
        vowel = not vowel if r.random() < 0.85 else vowel
    return word


def source(seed, held=False):
    """A random source; the two sides never share a seed."""
    return random.Random(seed * 2 + (1 if held else 0))
