"""The text of a passage: who it is about, what is told of them, and the sentences that tell it."""
import re
from functools import lru_cache

from texts.manner import article, capital, choose
from skills.passage_values import KINDS, PRONOUNS, RELATIVES, RIVALS, SUBJECTS, VALUES
from texts.phrasings import phrasings
from texts.pools import ANIMALS

LEADS = ("{s} ", "The {s} ")


class Entity:
    """Somebody or something with a name of its own."""

    def __init__(self, g, domain, subject=None, pronoun=None):
        self.domain, self.subject = domain, subject or SUBJECTS[domain](g)
        self.pronoun = pronoun or g.r.choice(PRONOUNS.get(domain, ["It"]))
        self.slots = {"s": self.subject, "x": g.r.choice(ANIMALS), "i": g.noun(), "y": g.r.choice(RELATIVES).replace("_", " ")}


class Told:
    """One fact of an entity: an attribute, its value and the sentence that tells it."""

    def __init__(self, g, entity, attribute, value, forms):
        self.entity, self.attribute, self.value = entity, attribute, value
        self.forms = forms
        self.template = choose(g, g.r.choice(self.forms["tell"]))
        self.quote = None  # the sentence that tells it, with the subject's name

    def reply(self):
        """The text's own words, so that the value is found again by what stood before it; one of a row in a sentence of its own."""
        return self.quote or self.fill(self.forms["reply"])

    def fill(self, text):
        return article(capital(text.format(v=self.value, **self.entity.slots)))


def alike(g, forms):
    """The forms of an attribute, in most texts only one or two to tell it by: then the sentences differ in nothing but whom they are about."""
    return {**forms, "tell": g.r.sample(forms["tell"], min(len(forms["tell"]), g.r.choice([1, 2])))} if g.chance(0.7) else forms


def attributes(g, domain):
    """Two to five attributes of a domain between which no question is in doubt."""
    names = g.r.sample(list(KINDS[domain]), g.r.choice([1, 2, 2, 3, 3, 4, 5]))
    for rivals in RIVALS:
        both = [n for n in names if n in rivals]
        names = [n for n in names if n not in both[1:]]
    return names


def entities(g, domain):
    out = []
    for _ in range(g.r.choice([1, 2, 2, 3, 3, 4, 5])):
        e = Entity(g, domain)
        if all(e.subject != o.subject for o in out):
            out.append(e)
    return out


def facts_of(g, domain):
    """Facts in the order in which they are told; no two entities share a value of an attribute."""
    names, taken, out = attributes(g, domain), set(), []
    forms = {name: alike(g, form) for name, form in phrasings("passage")[domain].items()}
    for entity in entities(g, domain):
        for name in g.r.sample(names, len(names)) if g.chance(0.85) else attributes(g, domain):
            value = VALUES[KINDS[domain][name]](g)
            if value != entity.subject and value.lower() not in taken:
                taken.add(value.lower())
                out.append(Told(g, entity, name, value, forms[name]))
    if g.chance(0.15):
        g.r.shuffle(out)
    return out


class Text:
    """Sentences being written; `place` of a fact is the number of its sentence. In a plain text every fact has its own."""

    def __init__(self, g, plain):
        self.g, self.plain = g, plain
        self.sentences, self.place, self.before, self.led = [], {}, None, False

    def add(self, sentence, facts, entity=None, led=False):
        self.sentences.append(sentence)
        self.place.update({id(f): len(self.sentences) - 1 for f in facts})
        self.before, self.led = entity, led

    def row(self, facts):
        """One fact of several entities in a row."""
        g, f, data = self.g, facts[0], phrasings("passage")["rows"]
        key = f"{f.entity.domain}.{f.attribute}"
        items = [article(data[key + ".item"][0].format(v=x.value, **x.entity.slots)) for x in facts]
        row = ", ".join(items[:-1]) + g.r.choice([" and ", ", and ", " and "]) + items[-1]
        self.add(capital(g.r.choice(data[key]).format(row=row)), facts)

    def together(self, facts):
        """Several facts of one entity in one sentence; gives the facts that are left."""
        values = {f.attribute: f.value for f in facts}
        fitting = [t for t, slots in combinations(facts[0].entity.domain) if slots <= values.keys()]
        if not fitting:
            return facts
        template, entity = self.g.r.choice(fitting), facts[0].entity
        used = [f for f in facts if "{" + f.attribute + "}" in template]
        sentence = article(capital(template.format(p=entity.pronoun.lower(), **entity.slots, **values)))
        self.add(sentence, used, entity)
        for f in used:
            f.quote = sentence + "."
        return [f for f in facts if f not in used]

    def single(self, f):
        """One fact: after another of the same entity with a pronoun or in the same sentence now and then."""
        g, again, template = self.g, self.before is f.entity and not self.plain, f.template
        f.quote = f.fill(template) + "."
        lead = next((x for x in LEADS if template.startswith(x)), None)
        if again and lead and self.led and " and " not in self.sentences[-1] and g.chance(0.3):
            joint = " and " if g.chance(0.7) else ", and " + f.entity.pronoun.lower() + " "
            self.sentences[-1] += joint + article(template[len(lead):].format(v=f.value, **f.entity.slots))
            self.place[id(f)] = len(self.sentences) - 1
        elif again and template.startswith(("{s}", "The {s}")) and g.chance(0.5):
            self.add(f.fill(pronoun_for(f.entity, template)), [f], f.entity, bool(lead))
        else:
            self.add(f.fill(template), [f], f.entity, bool(lead))

    def whole(self):
        return ". ".join(self.sentences) + "."


def told_text(g, facts):
    """All facts told: rows first or last, then entity by entity, with some filler between; half of the texts are plain."""
    text, left = Text(g, g.chance(0.55)), list(facts)
    if g.chance(0.3) and not text.plain:
        left = told_in_row(g, text, left)
    while left:
        entity = left[0].entity
        same = [f for f in left if f.entity is entity] if g.chance(0.8) else left[:1]
        left = [f for f in left if f not in same]
        rest = text.together(same) if len(same) > 1 and not text.plain and g.chance(0.55) else same
        for f in rest:
            text.single(f)
        if g.chance(0.08):
            text.add(choose(g, g.r.choice(phrasings("passage")["filler"])), [])
    return text


def told_in_row(g, text, facts):
    """The facts that are left when one attribute was told of all its entities in one sentence."""
    rows = phrasings("passage")["rows"]
    keys = [k for k in {f"{f.entity.domain}.{f.attribute}": 0 for f in facts} if k in rows]
    if not keys:
        return facts
    key = g.r.choice(keys)
    row = [f for f in facts if f"{f.entity.domain}.{f.attribute}" == key]
    if len(row) > 1:
        text.row(row)
        return [f for f in facts if f not in row]
    return facts


@lru_cache(maxsize=None)
def combinations(domain):
    """[(template, the attributes it tells)]."""
    return [(t, frozenset(re.findall(r"\{(\w+)\}", t)) - {"s", "x", "i", "y", "p"}) for t in phrasings("passage").get(domain + "_together", [])]


POSSESSIVE = {"He": "His", "She": "Her", "It": "Its", "They": "Their"}


def pronoun_for(entity, template):
    rest = template[len("{s}"):] if template.startswith("{s}") else template[len("The {s}"):]
    return POSSESSIVE[entity.pronoun] + rest[2:] if rest.startswith("'s ") else entity.pronoun + rest
