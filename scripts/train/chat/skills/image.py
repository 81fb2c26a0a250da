"""Questions about an image, which arrives as its caption on a line of its own: `[image: a large red circle in the centre
on a white background]`. Captions are the captioner's own (scripts/train/shapes), some are about things in general.
"""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "shapes"))

from texts.manner import ask  # noqa: E402
from texts.phrasings import say  # noqa: E402
from texts.pools import ADJECTIVES, COLORS, NOUNS, is_held  # noqa: E402
from texts.sample import sample, with_turns  # noqa: E402
from sentences import PLURALS, SIZES, article, caption, groups, place_of  # noqa: E402
from world import COLORS as SCENE_COLORS, SHAPES, draw_scene  # noqa: E402

FURTHER = [0, 0, 0, 1, 2, 3]  # more questions about the same image, each in a turn of its own
COUNTS = ["no", "one", "two", "three", "four"]


def scene_of(g, **options):
    """A scene whose text, if it shows one, is not held."""
    while True:
        scene = draw_scene(g.r, False, **options)
        if not (scene.text and is_held(scene.text) and not (scene.text.isdigit() and int(scene.text) < 10)):
            return scene


def image(g):
    """A question about the caption of a scene."""
    x = g.r.random()
    if x < 0.12:
        return general(g)
    scene = scene_of(g, text_share=1.0 if x < 0.3 else 0.0, empty_share=0.02, counts=(28, 28, 24, 20))
    text = caption(scene)
    question, reply = about(g, scene, text)
    shown = f"[image: {text}]"
    y = g.r.random()
    if y < 0.14:
        return later(g, shown, text, question, reply)
    if y < 0.17:
        return sample(shown, thought(text), f"The image shows {text}.")
    turns = [(placed(g, shown, say(g, "image", "way", q=question)), reply)]
    for _ in range(g.r.choice(FURTHER)):
        turns.append(g.unheld(lambda: further(g, scene, text), text=lambda turn: turn[0]))
    return with_turns(turns, thought(text))


def further(g, scene, text):
    """(question, answer) about an image that was shown before."""
    question, reply = about(g, scene, text)
    return say(g, "image", "way", q=question), reply


def thought(text):
    return f"The image: {text}."


def placed(g, shown, question):
    """The image before or after the question, on its own line."""
    gap = "\n" if g.chance(0.85) else "\n\n"
    return shown + gap + question if g.chance(0.5) else question + gap + shown


def later(g, shown, text, question, reply):
    """The image came in an earlier turn."""
    first = placed(g, shown, ask(g, "image", "what")) if g.chance(0.7) else shown
    history = [{"role": "user", "content": first}, {"role": "assistant", "content": f"The image shows {text}."}]
    return {**sample(say(g, "image", "way", q=question), thought(text), reply), "history": history}


def about(g, scene, text):
    """(question, answer) about a scene."""
    x = g.r.random()
    if x < 0.16 or (not scene.things and not scene.text and x < 0.5):
        return ask(g, "image", "what"), f"The image shows {text}."
    if x < 0.26 or not (scene.things or scene.text):
        return ask(g, "image", "ground"), f"The background is {scene.ground}."
    if scene.text:
        return about_text(g, scene)
    kinds = [color, color, shape, shape, count, count, where, where, is_there, size]
    while True:
        found = g.r.choice(kinds)(g, scene)
        if found:
            return found


def about_text(g, scene):
    kind = "number" if scene.text.isdigit() else "word"
    if g.chance(0.3):
        return ask(g, "image", "text_color", x=kind), f"It is {scene.text_color}."
    part = kind if g.chance(0.5) else "text"
    return ask(g, "image", part), f"The {kind} is {scene.text}." if part != "text" else f"It says {scene.text}."


def named(scene, things):
    """The shortest names that mean these things alone: lists of the words of size, colour and shape."""
    size, color, shape = things[0].kind()
    options = [[shape], [color, shape], [size, shape], [size, color, shape]]
    fits = lambda words: [t for t in scene.things if all(w in t.kind() for w in words)]
    return [o for o in options if len(fits(o)) == len(things)]


def color(g, scene):
    """The colour of the only thing, or of those that a name without colour means."""
    things = g.r.choice(groups(scene))[1]
    size, hue, shape = things[0].kind()
    names = [n for n in named(scene, things) if hue not in n]
    alone = len(scene.things) == 1
    if alone and g.chance(0.25):
        return ask(g, "image", "color_only"), f"It is {hue}."
    if not names:
        return None
    name = g.r.choice(names)
    if len(things) > 1:
        many = " ".join(name[:-1] + [PLURALS[shape]])
        return ask(g, "image", "colors", x=many), f"The {many} are {hue}."
    return ask(g, "image", "color", x=" ".join(name)), f"The {' '.join(name)} is {hue}."


def shape(g, scene):
    """Which shape has this colour, or stands here."""
    thing = g.r.choice(scene.things)
    size, hue, form = thing.kind()
    if len(scene.things) == 1 and g.chance(0.3):
        return ask(g, "image", "shape_only"), f"It is {article(form)} {form}."
    alone = len([t for t in scene.things if t.kind() == thing.kind()]) == 1
    if alone and g.chance(0.4):
        place = place_of(thing.cell)
        return ask(g, "image", "shape_at", x=place), f"{place[0].upper()}{place[1:]} is a {size} {hue} {form}."
    for words in g.r.sample([[hue], [size], [size, hue]], 3):
        if alone and len([t for t in scene.things if all(w in t.kind() for w in words)]) == 1:
            return ask(g, "image", "shape", x=" ".join(words)), f"The {' '.join(words)} one is {article(form)} {form}."
    return None


def count(g, scene):
    """How many things, of a shape, a colour, a size, or of all."""
    size, hue, form = g.r.choice(scene.things).kind()
    if g.chance(0.06):
        form = g.r.choice(SHAPES)
    words = g.r.choice([[], [form], [form], [hue], [hue, form], [size, form], [size, hue, form], [size]])
    n = len([t for t in scene.things if all(w in t.kind() for w in words)])
    noun = PLURALS[form] if form in words else g.r.choice(["things", "shapes", "objects"])
    name = " ".join([w for w in words if w != form] + [noun])
    return ask(g, "image", "count", x=name), f"There {'is' if n == 1 else 'are'} {COUNTS[n]}." if n else f"There are no {name}."


def where(g, scene):
    """The place of a thing that is there once."""
    single = [ts for _, ts in groups(scene) if len(ts) == 1]
    if not single:
        return None
    things = g.r.choice(single)
    place = place_of(things[0].cell)
    if len(scene.things) == 1 and g.chance(0.2):
        return ask(g, "image", "where_only"), f"It is {place}."
    name = " ".join(g.r.choice(named(scene, things)))
    return ask(g, "image", "where", x=name), f"The {name} is {place}."


def size(g, scene):
    things = g.r.choice(groups(scene))[1]
    names = [n for n in named(scene, things) if things[0].size not in n]
    if not names or len(things) > 1:
        return None
    name = " ".join(g.r.choice(names))
    return ask(g, "image", "size", x=name), f"The {name} is {things[0].size}."


def is_there(g, scene):
    """Yes or no: a thing of the scene, or one that may be there or not."""
    kind = list(g.r.choice(scene.things).kind())
    if g.chance(0.55):
        place = g.r.randrange(1, 3)
        kind[place] = g.r.choice([None, list(SCENE_COLORS), SHAPES][place])
        if g.chance(0.15):
            kind[0] = g.r.choice(SIZES)
    words = g.r.choice([[2], [1, 2], [0, 1, 2]])
    name = " ".join(kind[i] for i in words)
    there = any(all(kind[i] == t.kind()[i] for i in words) for t in scene.things)
    return ask(g, "image", "is_there", x=f"{article(name)} {name}"), f"Yes, there is {article(name)} {name}." if there else f"No, there is no {name}."


def general(g):
    """A caption as other captioners write it: things in general."""
    one = lambda words: f"{article(words)} {words}"
    hue, noun = g.r.choice(COLORS), g.noun()
    thing = lambda: one(f"{g.r.choice(COLORS) if g.chance(0.6) else g.of(ADJECTIVES)} {g.of([n for n in g.r.sample(NOUNS, 3) if n != noun])}")
    text = one(f"{hue} {noun}") + (g.r.choice([" next to ", " above ", " and ", " on ", " under ", " in front of "]) + thing() if g.chance(0.6) else "")
    if g.chance(0.4):
        text += g.r.choice([" on ", " in front of "]) + one(g.r.choice(COLORS)) + " background"
    question, reply = (ask(g, "image", "color", x=noun), f"The {noun} is {hue}.") if g.chance(0.3) else (ask(g, "image", "what"), f"The image shows {text}.")
    return sample(placed(g, f"[image: {text}]", say(g, "image", "way", q=question)), thought(text), reply)
