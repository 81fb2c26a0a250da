"""Talk: greetings and names, thanks and goodbyes, moods, who and what the model is, and the first lines of SDK examples
(a closed list, known by heart).
"""
from texts.manner import ask, capital, lower, pick
from texts.phrasings import phrasings
from texts.pools import WEEKDAYS
from texts.sample import sample

WHO = "I am Hearth's small built-in model."
CAN = "I can greet you, repeat text, count, add, remember a name, answer from a text, tell a story and call tools."
HELLO = "Hello! How can I help you?"
SMALL = {
    "thanks": ("The user thanks me.", "You are welcome!"),
    "bye": ("The user says goodbye.", "Goodbye! See you soon."),
    "how": ("The user asks how I am.", "I am fine, thank you. How can I help?"),
    "agree": ("The user agrees.", "Good. What would you like to do next?"),
    "praise": ("The user praises me.", "Thank you, that is kind!"),
    "blame": ("The user says I was wrong.", "I am sorry. I am a small model and make mistakes."),
    "bad": ("The user feels bad.", "I am sorry to hear that. I hope it gets better soon."),
    "good": ("The user feels good.", "I am glad to hear that!"),
    "sorry": ("The user is sorry.", "No problem at all."),
}
WEIGHTS = [5, 5, 4, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2]
LONGER = 0.55  # the share of thanks, goodbyes and "how are you" that are said in a longer way


def first_lines():
    """The usual first lines of SDK examples and their answers."""
    return phrasings("sdk")["lines"]


def greet(g):
    """A greeting, alone, with a name, or with "how are you"."""
    hello, r = pick(g, "talk", "hello" if g.chance(0.6) else "hello_long").format(place=g.city()), g.r.random()
    hello = lower(hello) if g.chance(0.2) else hello
    if r < 0.2:
        return named(g, hello)
    if r < 0.45:
        return sample(longer(g, "hello_more"), "The user greets me. I greet back.", HELLO)
    if r < 0.52:
        return sample(pick(g, "talk", "hello_how").format(hello=hello), "The user greets me and asks how I am.", "Hello! I am fine, thank you.")
    tail = g.r.choice(phrasings("talk")["hello_tail"] if len(hello) < 14 else ["", "!", "."])
    return sample(hello + tail, "The user greets me. I greet back.", HELLO)


def named(g, hello):
    name, text = g.name(), pick(g, "talk", "hello_name")
    user = text.format(hello=hello if text.startswith("{hello}") else capital(hello), name=name)
    return sample(user, f"The user is {name}. I greet back.", f"Hello {name}! Nice to meet you.")


def longer(g, part, name=None):
    """A longer sentence of a part, as people type it; whoever is named in it is called `name`."""
    hello, name = pick(g, "talk", "hello"), name or g.name()
    template = pick(g, "talk", part)
    text = template.format(hello=hello if template.startswith("{hello}") or g.chance(0.3) else lower(hello), name=name, day=g.r.choice(WEEKDAYS))
    return lower(text) if g.chance(0.12) else text


def smalltalk(g):
    """Thanks, goodbyes, "how are you", moods, praise and blame."""
    part = g.r.choices(list(SMALL), WEIGHTS)[0]
    thought, reply = SMALL[part]
    if part == "how" and g.chance(0.2):
        name = g.name()
        return sample(longer(g, "how_name", name), thought, f"Hello {name}! I am fine, thank you.")
    if part in ("thanks", "bye", "how") and g.chance(LONGER):
        return sample(longer(g, part + "_more"), thought, reply)
    user, tail = pick(g, "talk", part), g.r.choice(phrasings("talk")["tail"])
    if part == "how":
        tail = tail.rstrip(".!") + g.r.choice(["?", "?", "?", ""])
    user = lower(user) if g.chance(0.2) else user
    return sample(user + tail, thought, reply)


def identity(g):
    """Who or what the model is, and what it can do."""
    if g.chance(0.28):
        return sample(ask(g, "talk", "can"), "The user asks what I can do.", CAN)
    if g.chance(0.5):
        return sample(longer(g, "who_more"), "The user asks who I am.", WHO)
    return sample(ask(g, "talk", "who"), "The user asks who I am.", WHO)


def sdk(g):
    """A first line of an SDK example, now and then in a slightly different manner."""
    user, reply = g.r.choice(first_lines())
    if g.chance(0.25):
        user = g.r.choice(["Please ", "Now ", "OK, ", "Can you answer this: "]) + user[0].lower() + user[1:]
    elif g.chance(0.15):
        user = user.lower() if g.chance(0.5) else user.rstrip(".!?")
    return sample(user, "This is an easy question.", reply)
