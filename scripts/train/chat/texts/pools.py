"""Word pools, and the rule of what training never sees.

Every text and every value is on one of two sides by its checksum (`is_held`): about one in six is kept for the
evaluation, which has a generator of its own. `Gen` is a seeded random source that never gives a held value: names,
words, numbers from 10 on, codes. Small closed worlds (colours, jobs of a caption, weekdays) are not split.
"""
import random
import zlib
from pathlib import Path

WORDS = Path(__file__).resolve().parents[1] / "words"


def pool(name):
    """The words of one file; `_` stands for a space."""
    return [w.replace("_", " ") for w in (WORDS / f"{name}.txt").read_text(encoding="utf-8").split()]


NAMES, CITIES, NOUNS, ADJECTIVES, VERBS = (pool(p) for p in ("names", "cities", "nouns", "adjectives", "verbs"))
PLAIN_WORDS = [w.lower() for w in NAMES + CITIES + NOUNS + ADJECTIVES + VERBS if w.isascii() and w.isalpha() and len(w) > 2]
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
COLORS = "red blue green yellow purple orange pink black white gray brown silver teal violet gold".split()
ANIMALS = "fox cat dog owl bear mouse rabbit wolf horse frog duck turtle hedgehog dragon unicorn squirrel otter lion sparrow snail".split()
JOBS = "baker teacher doctor pilot farmer nurse painter writer singer carpenter plumber lawyer chef engineer gardener sailor".split()
FOODS = "pizza soup bread cheese rice pasta salad cake honey apples fish noodles pancakes chocolate tomatoes curry".split()
ROOMS = ["kitchen", "bedroom", "bathroom", "living room", "office", "hall", "garage", "cellar", "attic", "garden", "nursery", "library"]
# What made-up words of a kind end in.
JOB_ENDS = "er er er or ist ian maker keeper smith man ter or ant dresser".split()
FOOD_ENDS = "s s es ies oes nuts fruit bread ers berry ish ese on ots ions umbers ade".split()
ANIMAL_ENDS = "fish bird er ine ot oon ard in ose ion ale ew ish mouse opard eon ike".split()
ROOM_ENDS = "room room house ory hall room orium et age ium ar ony oft udy".split()
SYLLABLES = """ba be bi bo bu da de di do du fa fe fi fo ga ge go ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi
po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo wa wi za ze zi zo bran cor dal fen gar hol jun kel lor mar nor pel quin
ros sel tor ul ven wex yar zan thi sha cho st ing ex il on""".split()
EXTRAS = ["é", "ü", "ñ", "ø", "ß", "😀", "🚀", "👍", "✓", "→", "€", "日本", "Привет", "naïve", "café", "Größe", "señor", "你好", "Ω", "…"]
SMALL_WORDS = """the a of and to in is on it for with at by from as not be this that are was we they she he you my our all one two
no yes or but if then when so up out very more some any here there now under over near far before after""".split()


def is_held(text):
    """Whether a text or a value is kept for the evaluation; case and white space do not count."""
    return zlib.crc32(" ".join(text.lower().split()).encode()) % 6 == 0


class Gen:
    """A seeded random source that gives no held value."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def of(self, items):
        """One of `items` that is not held; when nearly all are, any."""
        for _ in range(100):
            item = self.r.choice(items)
            if not is_held(item):
                break
        return item

    def chance(self, p):
        return self.r.random() < p

    def unheld(self, draw, text=str):
        """What `draw` gives, again and again until `text` of it is not held (or until it is plain that it gives nothing else)."""
        for _ in range(100):
            value = draw()
            if not is_held(text(value)):
                break
        return value

    def invented(self):
        """A made-up word: two to four syllables, or the head of one word and the tail of another, so that letters meet as they
        do in words that are kept."""
        return self.unheld(lambda: self.spliced() if self.chance(0.5) else "".join(self.r.choice(SYLLABLES) for _ in range(self.r.randint(2, 4))))

    def spliced(self):
        """The head of one word and the tail of another, at most twelve letters."""
        head, tail = self.r.choice(PLAIN_WORDS), self.r.choice(PLAIN_WORDS)
        return (head[:self.r.randint(1, len(head) - 1)] + tail[-self.r.randint(1, len(tail) - 1):])[:12]

    def noun(self):
        """A thing; a third of them are only made like words, so that the tokens of any word are learnt to be copied."""
        return self.of(NOUNS) if self.chance(0.67) else self.unheld(self.spliced)

    def one_of_a_kind(self, pool, ends, nouns=0.3, plural=""):
        """One of a pool, or as often a word that only ends as those of the kind do, `nouns` of them a thing: from a short list alone a
        network learns the list, and answers with one of it what is not in it."""
        if self.chance(0.5):
            return self.of(pool)
        stem = lambda: self.r.choice(PLAIN_WORDS)[:self.r.randint(3, 6)]
        return self.unheld(lambda: self.noun() + plural if self.chance(nouns) else stem() + self.r.choice(ends))

    def job(self):
        return self.one_of_a_kind(JOBS, JOB_ENDS, nouns=0)

    def food(self):
        return self.one_of_a_kind(FOODS, FOOD_ENDS, plural="s")

    def animal(self):
        return self.one_of_a_kind(ANIMALS, ANIMAL_ENDS)

    def room(self):
        return self.one_of_a_kind(ROOMS, ROOM_ENDS)

    def word(self):
        x = self.r.random()
        if x < 0.42:
            w = self.of(NOUNS)
        elif x < 0.58:
            w = self.of(ADJECTIVES)
        elif x < 0.66:
            w = self.of(VERBS)
        elif x < 0.73:
            w = self.of(NAMES)
        elif x < 0.97:
            w = self.invented()
        else:
            w = self.of(EXTRAS)
        return self.recase(w)

    def recase(self, w):
        x = self.r.random()
        return w.upper() if x < 0.06 else w.capitalize() if x < 0.2 else w

    def name(self):
        return self.of(NAMES) if self.chance(0.6) else self.invented().capitalize()

    def full_name(self):
        """A name, more than half of them with a surname."""
        return self.name() if self.chance(0.45) else self.unheld(lambda: f"{self.name()} {self.name()}")

    def city(self):
        return self.of(CITIES) if self.chance(0.8) else self.invented().capitalize()

    def integer(self, low, high):
        """A whole number; from 10 on none that is held."""
        for _ in range(100):
            n = self.r.randint(low, high)
            if n < 10 or not is_held(str(n)):
                break
        return n

    def number(self, digits=3):
        """The text of a whole number of up to so many digits."""
        n = self.r.randint(1, digits)
        return str(self.integer(0 if n == 1 else 10 ** (n - 1), 10 ** n - 1))

    def code(self):
        """An identifier such as A-1042, zb77, order_19 or a small e-mail address."""
        return self.unheld(self.any_code)

    def any_code(self):
        x = self.r.random()
        if x < 0.35:
            return self.r.choice("ABCDEFGHKLMNPRSTXZ") + self.r.choice(["", "-"]) + self.number(5)
        if x < 0.6:
            return "".join(self.r.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(self.r.randint(4, 8)))
        if x < 0.8:
            return self.of(NOUNS) + self.r.choice("_-") + self.number(4)
        return self.invented() + "@" + self.invented() + self.r.choice([".com", ".org", ".net"])

    def phrase(self, low=1, high=8):
        """Some words with now and then a number, a code, a comma; often a sentence."""
        words = []
        for _ in range(self.r.randint(low, high)):
            x = self.r.random()
            if x < 0.27 and high > 1:
                words.append(self.r.choice(SMALL_WORDS))
            elif x < 0.33:
                words.append(self.number(4))
            elif x < 0.37:
                words.append(self.code())
            else:
                words.append(self.word())
            if high > 1 and self.chance(0.05):
                words[-1] += self.r.choice([",", ":", ";", " -"])
        text = " ".join(words).rstrip(",:;- ") or "yes"
        if self.chance(0.35):
            text = text[0].upper() + text[1:] + self.r.choice([".", ".", "!", "?"])
        return text
