"""What the user told about himself some turns ago, asked for now: a name, a number, a colour, and other things of the same
kind, with other facts, corrections and turns of other skills in between.
"""
from texts.manner import article, ask, pick, uncapital
from texts.phrasings import phrasings
from texts.pools import ANIMALS, COLORS, is_held
from texts.sample import sample
from skills.facts import fact as known_fact
from skills.sums import arithmetic
from skills.talk import greet, identity, smalltalk
from skills.words import words

KINDS = {"name": 10, "number": 7, "label": 4, "color": 8, "city": 2, "pet": 2, "relative": 1.5, "job": 1.5, "age": 1.5, "word": 3, "food": 1, "thing": 2}
RELATIVES = "brother sister mother father friend son daughter uncle aunt cousin teacher boss neighbor wife husband grandmother grandfather niece nephew".split()
OTHERS = [smalltalk, smalltalk, smalltalk, identity, known_fact, known_fact, arithmetic, arithmetic, words, words]
UNKNOWN_YET = {"name": "I don't know your name yet.", "number": "I don't know the number yet.", "color": "I don't know your favorite color yet.", "city": "I don't know where you live yet.",
               "age": "I don't know your age yet.", "job": "I don't know your job yet.", "word": "I don't know the word yet.", "food": "I don't know your favorite food yet."}


def number(g):
    """A number of one to six digits."""
    return str(g.integer(0, 9) if g.chance(0.1) else g.integer(10, 99) if g.chance(0.3) else g.integer(100, 10 ** g.r.randint(3, 6) - 1))


def value_of(g, kind):
    if kind in ("name", "pet", "relative"):
        return g.name()
    if kind == "word":
        return g.word() if g.chance(0.85) else g.code()
    if kind == "age":
        return str(g.integer(5, 99))
    if kind in ("number", "label"):
        return number(g)
    return {"city": g.city, "job": g.job, "food": g.food}[kind]() if kind in ("city", "job", "food") else g.r.choice(COLORS)


class Fact:
    """One told fact: its kind, its value, and what it is about."""

    def __init__(self, g, kind=None):
        self.kind = kind or g.r.choices(list(KINDS), list(KINDS.values()))[0]
        self.about = {"x": g.r.choice(ANIMALS), "y": g.r.choice(RELATIVES), "z": g.noun(), "w": g.r.choice(phrasings("recall")["labels"])}
        self.value = value_of(g, self.kind)

    def say(self, g, part):
        """A sentence of a person: told, asked or corrected."""
        kind = "statement" if part in ("tell", "correct") else None
        text = ask(g, "recall", f"{self.kind}_{part}", kind, v=self.value, **self.about)
        return article(text) if self.kind in ("job", "pet", "thing", "relative") else text

    def state(self, g, part):
        """A sentence of the model."""
        return pick(g, "recall", f"{self.kind}_{part}").format(v=self.value, **self.about)

    def heard(self, g):
        r = g.r.random()
        return self.state(g, "noted") if r < 0.5 else pick(g, "recall", "heard") if r < 0.8 else pick(g, "recall", "heard_value").format(v=self.value)

    def corrected(self, g):
        """The same fact with another value."""
        other = Fact(g, self.kind)
        other.about = self.about
        return other


def turn(user, reply):
    return [{"role": "user", "content": user}, {"role": "assistant", "content": reply}]


def unheld(g, make):
    """A turn whose text is not kept for the evaluation, so that long conversations are as frequent as short ones."""
    while True:
        text = make()
        if not is_held(text):
            return text


def other_turn(g, others):
    """A turn of another skill."""
    while True:
        s = g.r.choice(others)(g)
        if not s.get("history") and not is_held(s["user"]):
            return turn(s["user"], s["reply"])


def distraction(g):
    slots = {"y": g.r.choice(RELATIVES), "n": g.name(), "c": g.r.choice(COLORS), "d": g.integer(3, 99), "z": g.noun(), "t": g.city()}
    return article(ask(g, "recall", "distract", "statement", **slots))


def tell(g):
    """The turn in which a fact is told."""
    f = Fact(g)
    return sample(f.say(g, "tell"), f"The user tells me: {f.value}", f.state(g, "noted"))


def told(g, facts, others):
    """The turns in which facts are told: one by one or together, alone or followed by a request of another skill."""
    if len(facts) > 1 and g.chance(0.3):
        return turn(unheld(g, lambda: together(g, facts)), g.r.choice(facts).heard(g))
    out = []
    for f in facts:
        if g.chance(0.1):
            s = g.r.choice(others)(g)
            out += turn(unheld(g, lambda: sentence(f.say(g, "tell")) + " " + s["user"]), s["reply"])
        else:
            out += turn(unheld(g, lambda: f.say(g, "tell")), f.heard(g))
        if g.chance(0.15):
            out += other_turn(g, others)
    return out


def together(g, facts):
    """Several facts in one turn, in sentences of their own or joined by "and"."""
    told = [f.say(g, "tell") for f in facts]
    if g.chance(0.35):
        return " and ".join([told[0].rstrip(".!")] + [uncapital(t).rstrip(".!") for t in told[1:]]) + g.r.choice([".", "", "."])
    out = told[0]
    for t in told[1:]:
        join = g.r.choice(phrasings("recall")["join"])
        out = sentence(out) + join + (uncapital(t) if join.strip() else t)
    return out


def sentence(text):
    """Ended, so that another may follow."""
    return text if text[-1] in ".!?" else text + "."


def clear(f, other):
    """Whether no question can mean both."""
    if f.kind == other.kind:
        return {"relative": "y", "thing": "z", "label": "w", "pet": "x"}.get(f.kind) is not None and all(f.about[k] != other.about[k] for k in "xyzw")
    return {f.kind, other.kind} != {"number", "label"}


def recall(g, others=OTHERS):
    """One to three facts, told up to three turns ago; one of them is asked for, the latest value counts."""
    facts = [Fact(g)]
    while len(facts) < 3 and g.chance(0.4):
        f = Fact(g)
        if all(clear(f, x) for x in facts):
            facts.append(f)
    asked = g.r.choice(facts)
    if g.chance(0.07):
        user = " ".join(sentence(f.say(g, "tell")) for f in facts) + " " + asked.say(g, "ask")
        return sample(user, thought_of(asked), asked.state(g, "reply"))
    history = turn(*greeting(g)) if g.chance(0.1) else []
    history += told(g, facts, others)
    for _ in range(g.r.choice([0, 0, 0, 1, 1, 1, 2, 2, 3])):
        history += turn(unheld(g, lambda: distraction(g)), pick(g, "recall", "heard")) if g.chance(0.2) else other_turn(g, others)
    if g.chance(0.1):
        asked = asked.corrected(g)
        history += turn(unheld(g, lambda: asked.say(g, "correct")), asked.heard(g))
    return sample(asked.say(g, "ask"), thought_of(asked), asked.state(g, "reply"), history=history)


def greeting(g):
    while True:
        s = greet(g)
        if "Nice" not in s["reply"] and not is_held(s["user"]):
            return s["user"], s["reply"]


def thought_of(asked):
    return f"The user told me: {asked.value}."


def not_told(g, others=OTHERS):
    """A fact that was not told, though other things were."""
    f, history = Fact(g, g.r.choice(list(UNKNOWN_YET))), []
    if g.chance(0.35):
        other = Fact(g)
        while other.kind in (f.kind, "relative") or {other.kind, f.kind} in ({"age", "number"}, {"label", "number"}, {"word", "number"}, {"color", "thing"}):
            other = Fact(g)
        history = told(g, [other], [smalltalk, known_fact])
    return sample(f.say(g, "ask"), "The user did not tell me this.", UNKNOWN_YET[f.kind], history=history)
