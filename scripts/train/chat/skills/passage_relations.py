"""Facts of relations that are named by words drawn by chance, so that what is asked has to be found by its words: nothing can be
known of "the lantern of Oslo" but where it is told.
"""
from texts.phrasings import phrasings
from texts.pools import VERBS
from skills.passage_text import Entity, Told, alike
from skills.passage_values import PLURALS, VALUES

LOOSE = "loose"  # the domain of such entities: they are told of in no other way
REGULAR = [v for v in VERBS if not v.endswith(("s", "h", "x", "y", "o"))]  # whose third person only takes an s


def subject(g):
    """(a person, a thing, a town, or what only sounds like one; its pronoun)."""
    x = g.r.random()
    if x < 0.45:
        return g.name() if x < 0.33 else f"{g.name()} {g.invented().capitalize()}", g.r.choice(["He", "She"])
    return f"the {g.noun()}" if x < 0.75 else g.city() if x < 0.93 else g.invented(), "It"


def forms(g):
    """(value kind, {"tell", "ask", ...}) of one relation: a frame with its noun and verb."""
    frame = g.r.choice(phrasings("relations")["frames"])
    noun = g.of(PLURALS) if g.chance(0.8) else g.invented()
    verb = g.of(REGULAR) if g.chance(0.9) else g.invented()
    fitted = {part: [t.replace("{r}", noun).replace("{w}", verb) for t in frame[part]] for part in ("tell", "ask")}
    return g.r.choice(frame["values"].split()), alike(g, {**fitted, "who": []})


def loose_facts(g):
    """Two to five subjects with the same one to four relations each, now and then without one of them."""
    relations = [forms(g) for _ in range(g.r.choice([1, 2, 2, 3, 3, 4]))]
    shuffled, count = g.chance(0.3), g.r.choice([2, 2, 3, 3, 4, 5])
    entities, taken, out = [], set(), []
    while len(entities) < count:
        entity = Entity(g, LOOSE, *subject(g))
        if entity.subject not in [e.subject for e in entities]:
            entities.append(entity)
    for entity in entities:
        for number, (values, said) in enumerate(g.r.sample(relations, len(relations)) if shuffled else relations):
            value = VALUES[values](g)
            if value.lower() not in taken and g.chance(0.95):
                taken.add(value.lower())
                out.append(Told(g, entity, number, value, said))
    return out
