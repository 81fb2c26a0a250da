"""Words given to be handled: repeated, put into capitals, said in reverse order, or the n-th of them picked. The answer is
only the words. Most words are ordinary or made up, some spelled by chance, so that letters are learned and not a list.
"""
from texts.manner import ask
from texts.pools import SMALL_WORDS
from texts.sample import sample

QUOTES = [('"', '"')] * 5 + [("'", "'")] * 2 + [("“", "”"), ("`", "`"), ("«", "»"), ("‘", "’")]
ORDINALS = "first second third fourth fifth sixth seventh eighth".split()
SHORT_ORDINALS = "1st 2nd 3rd 4th 5th 6th 7th 8th".split()
VOWELS, CONSONANTS = "aaeeeiioou", "bbccddffgghjkkllmmnnpprrssttvwxyz"
WELL_KNOWN = ["hello", "hello world", "Hello, world!", "The quick brown fox jumps over the lazy dog.", "this is a test", "hearth works", "I am here", "good morning", "one two three", "yes", "ok"]


def spelled(g):
    """A word of three to nine letters by chance, vowels and consonants in turn more or less."""
    r, out = g.r, []
    for i in range(r.randint(3, 9)):
        out.append(r.choice(VOWELS if (i % 2) ^ (r.random() < 0.15) else CONSONANTS))
    return "".join(out)


def any_word(g):
    x = g.r.random()
    if x < 0.14:
        return g.recase(g.unheld(lambda: spelled(g)))
    if x < 0.3:
        return g.recase(g.invented())
    return g.r.choice(SMALL_WORDS) if x < 0.34 else g.name() if x < 0.42 else g.city() if x < 0.47 else g.word()


def some_words(g, low, high):
    """That many words, hardly ever one twice; now and then all in one case."""
    out = []
    for _ in range(g.r.randint(low, high)):
        word = any_word(g)
        out.append(any_word(g) if word in out else word)
    x = g.r.random()
    return [w.lower() for w in out] if x < 0.3 else [w.capitalize() for w in out] if x < 0.36 else [w.upper() for w in out] if x < 0.38 else out


def quoted(g, text):
    left, right = g.r.choice(QUOTES)
    return left + text + right


def request(g, part, text, **slots):
    """The request with the text in quotes, or bare where it ends the sentence after a colon."""
    user = ask(g, "words", part, text="\0", **slots)
    bare = user.rstrip().endswith(": \0") and g.chance(0.35)
    return user.replace("\0", text if bare else quoted(g, text))


def repeat(g):
    """Repeat a text: words, or a sentence with numbers, codes and marks."""
    x = g.r.random()
    text = " ".join(some_words(g, 1, 10)) if x < 0.6 else g.phrase(1, 10) if x < 0.96 else g.r.choice(WELL_KNOWN)
    return sample(request(g, "repeat", text), f"I repeat: {text}", text)


def say(g):
    """Say one word, quoted or not."""
    x = g.r.random()
    word = any_word(g) if x < 0.8 else g.r.choice(["OK", "ok", "pong", "hello", "yes", "banana", "done", "test", "ready"]) if x < 0.9 else g.code().rstrip(".")
    return sample(ask(g, "words", "say", text=quoted(g, word) if g.chance(0.5) else word), f"I say: {word}", word)


def upper(g):
    """One to four words in capital letters."""
    words = [w if w.isascii() else g.invented() for w in some_words(g, 1, 4)]
    text = " ".join(words)
    return sample(request(g, "upper", text), f"In capitals: {text.upper()}", text.upper())


def reverse(g):
    """Two to six words in reverse order."""
    words = some_words(g, 2, 6)
    sep = ", " if g.chance(0.06) else " "
    answer = sep.join(words[::-1])
    return sample(request(g, "reverse", sep.join(words)), f"From the last to the first: {answer}", answer)


def nth(g):
    """The first to eighth, or the last, of three to eight words."""
    words = some_words(g, 3, 8)
    i = g.r.randrange(len(words))
    last = g.chance(0.14)
    i = len(words) - 1 if last else i
    sep = ", " if g.chance(0.08) else " "
    n = "last" if last else SHORT_ORDINALS[i] if g.chance(0.07) else ORDINALS[i]
    part = "nth_number" if not last and g.chance(0.08) else "nth"
    user = request(g, part, sep.join(words), n=n, d=i + 1)
    shown = words if last else words[:i + 1]
    return sample(user, ", ".join(f"{k} {w}" for k, w in enumerate(shown, 1)) + ".", words[i])


def words(g):
    """Any of the five."""
    return g.r.choices([repeat, say, upper, reverse, nth], [0.26, 0.08, 0.2, 0.22, 0.24])[0](g)
