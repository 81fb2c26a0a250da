"""Scenes in words: the unique caption of a scene, and the many ways in which a person may request it.

Caption:  TEXT | LIST " on a " COLOUR " background" | "a " COLOUR " background"        ("an" before a vowel)
LIST:     PHRASE | PHRASE {", " PHRASE} " and " PHRASE
PHRASE:   "a " KIND " " PLACE | COUNT " " KIND "s"        (equal things are counted and lose their places)
TEXT:     ("the word " | "the number ") LETTERS " in " COLOUR
"""
from world import COLORS, COLUMNS, ROWS, SHAPES, SIZES, USUAL_CELLS, draw_scene, groups, is_held, settled

NUMBERS = ["", "a", "two", "three", "four"]
PLURALS = {s: "crosses" if s == "cross" else s + "s" for s in SHAPES}
GROUNDS = [" on {a} {} background", " on {a} {} background", " on {}", " on {a} {} ground", " with {a} {} background", ", {} background", " in front of {}"]
# The same in words that it need not know: a colour of no thing is the colour of the background.
VAGUE_GROUNDS = [" on {w} {}", ", {w} {w} {}", " on {a} {w} {} {w}", ", the {w} {}", " with {w} {w} {}", ", {w} on {w} {}", " and {w} {} {w}", ", the background {w} {}"]
# The relation of the first of two things to the second, and of the second to the first.
OPPOSITE = {
    (1, 7): ([" above ", " over "], [" below ", " under "]),
    (3, 5): ([" left of ", " to the left of "], [" right of ", " to the right of "]),
}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def words():
    """Returns every word that a caption can contain, in a fixed order."""
    grammar = "a an on background and , in the centre at top bottom left right two three four word number".split()
    return grammar + SIZES + list(COLORS) + SHAPES + [PLURALS[s] for s in SHAPES]


def place_of(cell):
    row, column = ROWS[cell // 3], COLUMNS[cell % 3]
    if not row and not column:
        return "in the centre"
    return f"on the {column}" if not row else f"at the {row} {column}".strip()


def article(word):
    return "an" if word[0] in "aeiou" else "a"


def join(parts):
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def caption(scene):
    """Returns the unique caption of the scene."""
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


def is_usual(scene):
    """Returns whether all things are at their default places, so that a request may omit the places."""
    found = groups(scene)
    usual = zip([(thing, len(alike)) for _, alike in found for thing in alike], USUAL_CELLS[len(scene.things)])
    return all(thing.cell == cell for (thing, alike), cell in usual if alike == 1)


def scene_of_side(r, held, usual_share=None, **options):
    """Returns a scene of the held-out or of the training side, with its caption; with `usual_share` it is settled. The eleven empty backgrounds are all on the
    training side."""
    while True:
        scene = draw_scene(r, **options)
        scene = scene if usual_share is None else settled(scene, r, usual_share)
        text = caption(scene)
        if (is_held(text) and bool(scene.things or scene.text)) == held:
            return scene, text


def request(scene, r):
    """Returns one of the ways to request this scene from the painter: a third are the caption; the others use other words, some of
    them meaningless, and omit only defaults (large, the default places, a white background)."""
    if not scene.things:
        return r.choice(["", "draw ", "nothing but ", "an empty picture: "]) + caption(scene)
    full = r.random() < 0.35
    text = None if full or r.random() < 0.2 else relate(scene, r)
    text = text or listed(scene, r, full)
    if full or scene.ground != "white" or r.random() < 0.5:
        form = r.choice(GROUNDS[:3] if full else GROUNDS if r.random() < 0.5 else VAGUE_GROUNDS)
        while "{w}" in form:
            form = form.replace("{w}", unknown_word(r), 1)
        text += form.format(scene.ground, a=article(scene.ground))
    return text if full else opened(text, r)


def opened(text, r):
    """Adds a random beginning and end to a request."""
    if r.random() < 0.5:
        text = r.choice(["", "draw ", "please draw ", "a picture of ", "an image of ", "paint ", "show "]) + text
    else:
        text = " ".join([*(unknown_word(r) for _ in range(r.randint(1, 4))), *r.choice([[], ["draw"], ["image"]]), text])
    text += r.choice(["", "", ".", "!", "?", ", " + unknown_word(r), ", please"])
    return text if r.random() < 0.5 else text.replace("gray", "grey")


def unknown_word(r):
    return "".join(r.choices("abcdefghijklmnopqrstuvwxyz", k=r.randint(1, 8)))


def listed(scene, r, full):
    """Returns the things one by one, sometimes in another order where the order has no meaning."""
    found = groups(scene)
    placed = full or not is_usual(scene) or r.random() < 0.15
    parts = [loose_phrase(kind, things, r, full, placed) for kind, things in found]
    if placed and len(found) == len(scene.things) and r.random() < 0.3:
        r.shuffle(parts)
    return join(parts) if r.random() < 0.7 else " and ".join(parts)


def loose_phrase(kind, things, r, full, placed):
    size, color, shape = kind
    one = len(things) == 1
    if not full and size == "large" and r.random() < 0.5:
        size = ""
    elif not full and r.random() < 0.4:
        size = r.choice(["big", "huge"]) if size == "large" else r.choice(["little", "tiny"])
    noun = " ".join(w for w in (size, color, shape if one else PLURALS[shape]) if w)
    if not one:
        number = NUMBERS[len(things)] if full or r.random() < 0.8 else str(len(things))
        return f"{number} {noun}"
    first = "one" if not full and r.random() < 0.05 else article(noun)
    return f"{first} {noun} {loose_place(things[0].cell, r, full)}" if placed else f"{first} {noun}"


def loose_place(cell, r, full):
    place = place_of(cell)
    if full or r.random() < 0.5:
        return place
    if cell == 4:
        return r.choice(["in the center", "in the middle", "at the centre"])
    side = place.split("the ", 1)[1].replace(" ", r.choice([" ", "-"]))
    if r.random() < 0.3:
        side = side.replace("top", "upper").replace("bottom", "lower")
    return r.choice(["in the ", "at the ", "on the "]) + side + r.choice(["", "", " corner" if cell % 2 == 0 else " side"])


def relate(scene, r):
    """'a red circle above a blue star' for two different things on opposite sides, else None."""
    words_of = OPPOSITE.get(tuple(t.cell for t in scene.things))
    if words_of is None or len(groups(scene)) != 2:
        return None
    first, second = scene.things
    turned = r.random() < 0.5
    if turned:
        first, second = second, first
    noun = lambda t: " ".join(w for w in (t.size if t.size == "small" else r.choice(["large", ""]), t.color, t.shape) if w)
    name = lambda n: f"{article(n)} {n}"
    return name(noun(first)) + r.choice(words_of[1 if turned else 0]) + name(noun(second))
