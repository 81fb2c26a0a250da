"""Scenes in words: the one caption of a scene, and the many ways in which a person may ask for it.

Caption:  TEXT | LIST " on a " COLOUR " background" | "a " COLOUR " background"        ("an" before a vowel)
LIST:     PHRASE | PHRASE {", " PHRASE} " and " PHRASE
PHRASE:   "a " KIND " " PLACE | COUNT " " KIND "s"        (things alike are counted and lose their places)
TEXT:     ("the word " | "the number ") LETTERS " in " COLOUR
"""
from world import COLORS, COLUMNS, ROWS, SHAPES, SIZES, is_held, draw_scene

NUMBERS = ["", "a", "two", "three", "four"]
PLURALS = {s: "crosses" if s == "cross" else s + "s" for s in SHAPES}
VERTICAL = [" above ", " below "]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def words():
    """Every word a caption may hold, in a fixed order."""
    grammar = "a an on background and , in the centre at top bottom left right two three four word number".split()
    return grammar + SIZES + list(COLORS) + SHAPES + [PLURALS[s] for s in SHAPES]


def place_of(cell):
    row, column = ROWS[cell // 3], COLUMNS[cell % 3]
    if not row and not column:
        return "in the centre"
    return f"on the {column}" if not row else f"at the {row} {column}".strip()


def article(word):
    return "an" if word[0] in "aeiou" else "a"


def groups(scene):
    """Things alike together, in the order of their first: [(kind, [thing])]."""
    found = {}
    for thing in scene.things:
        found.setdefault(thing.kind(), []).append(thing)
    return list(found.items())


def join(parts):
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def caption(scene):
    """The scene's one caption."""
    ground = f" on {article(scene.ground)} {scene.ground} background"
    if scene.text:
        kind = "number" if scene.text.isdigit() else "word"
        return f"the {kind} {scene.text} in {scene.text_color}" + ground
    if not scene.things:
        return f"{article(scene.ground)} {scene.ground} background"
    return join([phrase(kind, things) for kind, things in groups(scene)]) + ground


def phrase(kind, things):
    size, color, shape = kind
    if len(things) > 1:
        return f"{NUMBERS[len(things)]} {size} {color} {PLURALS[shape]}"
    return f"a {size} {color} {shape} {place_of(things[0].cell)}"


def scene_of_side(r, held, **options):
    """A scene of the held-out or of the training side, with its caption."""
    while True:
        scene = draw_scene(r, **options)
        text = caption(scene)
        if is_held(text) == held:
            return scene, text


def request(scene, r):
    """One of the ways to ask the painter for this scene: attributes may be left out, words may be others."""
    if not scene.things:
        return r.choice(["", "draw ", "nothing but ", "an empty picture: "]) + caption(scene)
    full = r.random() < 0.5
    alone = len(scene.things) == 1
    relation = None if full or r.random() > 0.5 else relate(scene, r)
    if relation is None:
        parts = [loose_phrase(kind, things, r, full, alone) for kind, things in groups(scene)]
        if r.random() < 0.3:
            r.shuffle(parts)
        text = join(parts) if r.random() < 0.7 else " and ".join(parts)
    else:
        text = relation
    silent = 0.0 if full else 0.5 if scene.ground == "white" else 0.04
    if r.random() >= silent:
        text += r.choice([" on {a} {} background", " on {a} {} background", " on {}", " on {a} {} ground"]).format(scene.ground, a=article(scene.ground))
    if not full or r.random() < 0.3:
        text = r.choice(["", "", "draw ", "please draw ", "a picture of ", "an image of ", "paint ", "show "]) + text
    return text


def loose_phrase(kind, things, r, full, alone):
    size, color, shape = kind
    one = len(things) == 1
    usual = size == "large" and alone
    if not full and r.random() < (0.6 if usual else 0.25):
        size = ""
    elif not full and r.random() < 0.4:
        size = r.choice(["big", "huge"]) if size == "large" else r.choice(["little", "tiny"])
    noun = " ".join(w for w in (size, color, shape if one else PLURALS[shape]) if w)
    if not one:
        number = NUMBERS[len(things)] if full or r.random() < 0.8 else str(len(things))
        return f"{number} {noun}"
    first = "one" if not full and r.random() < 0.05 else article(noun)
    cell = things[0].cell
    if not full and r.random() < (0.6 if alone and cell == 4 else 0.2):
        return f"{first} {noun}"
    return f"{first} {noun} {loose_place(cell, r, full)}"


def loose_place(cell, r, full):
    place = place_of(cell)
    if full or r.random() < 0.5:
        return place
    if cell == 4:
        return r.choice(["in the center", "in the middle", "at the centre"])
    return r.choice(["in the ", "at the ", "on the "]) + place.split("the ", 1)[1].replace(" ", r.choice([" ", "-"])) + r.choice(["", "", " corner" if cell % 2 == 0 else " side"])


def relate(scene, r):
    """'a red circle above a blue star' for two different things in one row or column, else None."""
    if len(scene.things) != 2 or len(groups(scene)) != 2:
        return None
    first, second = scene.things
    if first.cell % 3 == second.cell % 3:
        words_of = VERTICAL
    elif first.cell // 3 == second.cell // 3:
        words_of = r.choice([[" left of ", " right of "], [" to the left of ", " to the right of "]])
    else:
        return None
    turned = r.random() < 0.5
    if turned:
        first, second = second, first
    noun = lambda t: " ".join(w for w in (r.choice([t.size, ""]), t.color, t.shape) if w)
    name = lambda n: f"{article(n)} {n}"
    return name(noun(first)) + words_of[1 if turned else 0] + name(noun(second))
