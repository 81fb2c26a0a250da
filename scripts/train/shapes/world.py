"""The world of the captioner and the painter: scenes of 1 to 4 flat shapes, or a short word.

A scene is plain data (no pixels): `render.py` renders it, `sentences.py` describes it. Objects are in distinct cells of a
3 x 3 grid. A scene is held out if the checksum of its caption is divisible by 8: training drops such
scenes and the evaluation uses only them, so no caption is ever on both sides.
"""
import random
import zlib
from dataclasses import dataclass, replace

# The values of each colour: first the one that the painter uses, then others with the same name.
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
# The default places of one to four things.
USUAL_CELLS = [(), (4,), (3, 5), (3, 4, 5), (0, 2, 6, 8)]


@dataclass(frozen=True)
class Thing:
    """One object. Position and radius are fractions of the image's side; cell counts 0 to 8 in reading order."""
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
    """The content of a picture: things in reading order, or a text; the background's name and value. `stretch` is how much narrower
    (above 1) or lower (below 1) things look, as in a picture that was not square before it was resized."""
    things: tuple
    text: str
    text_color: str
    text_rgb: tuple
    ground: str
    ground_rgb: tuple
    seed: int
    stretch: float = 1.0


def is_held(caption):
    """Returns whether the scene of this caption is held out for evaluation (one in eight)."""
    return zlib.crc32(caption.encode()) % 8 == 0


def draw_scene(r, free_colors, text_share=0.0, stretch_share=0.0, empty_share=0.0, counts=(32, 28, 22, 18), large_max=0.28):
    """Returns one scene from the random source `r`. With `free_colors` the colours vary as in real pictures, else they are
    the world's own; `text_share` of the scenes show a text, `stretch_share` of the others are stretched, `empty_share` are empty
    background, `counts` are the weights of 1 to 4 things; a single large thing's radius goes up to `large_max`."""
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
    """A (size, colour, shape) for each thing; in half of the scenes with several things some are equal."""
    colors = [c for c in COLORS if c != ground]
    fresh = lambda: (r.choice(SIZES), r.choice(colors), r.choice(SHAPES))
    if count < 2 or r.random() < 0.5:
        return [fresh() for _ in range(count)]
    alike = 2 if r.random() < 0.5 else r.randint(2, count)
    kinds = [fresh()] * alike
    kinds += [fresh() for _ in range(count - alike)]
    r.shuffle(kinds)
    return kinds


def place(r, kind, cell, alone, free_colors, large_max):
    """Returns one thing; without `large_max` it has the usual size of its kind."""
    size, color, shape = kind
    aside = 0.03 if large_max else 0.012
    if size == "small":
        radius = r.uniform(0.075 if large_max else 0.088, 0.095)
    elif not alone:
        radius = r.uniform(0.135 if large_max else 0.145, 0.155)
    elif large_max:
        radius = r.uniform(0.135, large_max if cell == 4 else 0.2)
    else:
        radius = r.uniform(*((0.21, 0.26) if cell == 4 else (0.15, 0.17)))
    inside = lambda v: min(max(v, radius + 0.012), 1 - radius - 0.012)
    x = inside((cell % 3 + 0.5) / 3 + r.uniform(-aside, aside))
    y = inside((cell // 3 + 0.5) / 3 + r.uniform(-aside, aside))
    return Thing(shape, color, size, cell, x, y, radius, pick_rgb(r, color, free_colors))


def pick_rgb(r, color, free):
    """Returns the colour's own value, or, when free, any of its values with a small variation."""
    if not free:
        return COLORS[color][0]
    spread = 5 if color in ("black", "white", "gray") else 14
    shift = r.randint(-spread, spread)
    return tuple(min(255, max(0, v + shift + r.randint(-6, 6))) for v in r.choice(COLORS[color]))


def groups(scene):
    """Groups equal things, in the order of their first: [(kind, [thing])]."""
    found = {}
    for thing in scene.things:
        found.setdefault(thing.kind(), []).append(thing)
    return list(found.items())


def settled(scene, r, usual_share):
    """Returns the scene as the painter should draw it. A request leaves much open; here nearly all of it is fixed, so that there is
    one picture to learn: sizes and places vary little, and equal things, whose places a caption does not contain, are side by
    side after the things named before them. `usual_share` of the scenes get the default places (and mostly the default size).
    The grammar of captions is unchanged: any caption is possible."""
    things = [thing for _, alike in groups(scene) for thing in alike]
    count, usual = len(things), r.random() < usual_share
    if usual:
        cells = (1, 7) if count == 2 and r.random() < 0.4 else USUAL_CELLS[count]
        size = "large" if r.random() < 0.75 else ""
        things = [replace(t, cell=cell, size=size or t.size) for t, cell in zip(things, cells)]
    placed = [place(r, t.kind(), cell, count == 1, False, None) for t, cell in zip(things, settled_cells(things))]
    return replace(scene, things=tuple(sorted(placed, key=lambda t: t.cell)))


def settled_cells(things):
    """Returns a cell for each thing; equal things follow each other and get the next free cells, others keep their own."""
    kinds = [t.kind() for t in things]
    if all(kinds.count(kind) > 1 for kind in kinds):
        return USUAL_CELLS[len(things)]
    taken = {t.cell for t in things if kinds.count(t.kind()) == 1}
    cells, start = [], 0
    for i, thing in enumerate(things):
        if kinds.count(kinds[i]) == 1:
            cells.append(thing.cell)
        else:
            cells.append(next(c for c in range(start, 9) if c not in taken))
            taken.add(cells[-1])
        if not i or kinds[i] != kinds[i - 1]:
            start = cells[-1] + 1
    return cells


def draw_text(r):
    """Returns a number of 1 to 4 digits or a pronounceable word of 2 to 5 capital letters."""
    if r.random() < 0.5:
        return str(r.randint(0, 10 ** r.randint(1, 4) - 1))
    length, word = r.choice([2, 3, 3, 4, 4, 5, 5]), ""
    vowel = r.random() < 0.4
    while len(word) < length:
        word += r.choice("AEIOU" if vowel else "BCDFGHJKLMNPQRSTVWXYZ")
        vowel = not vowel if r.random() < 0.85 else vowel
    return word


def source(seed, held=False):
    """Returns a random source; the two sides never share a seed."""
    return random.Random(seed * 2 + (1 if held else 0))
