"""Skills which copy from the prompt: repeating a quoted phrase, saying a word, recalling a fact told a turn
before, describing a captioned image; and two long ones, counting and story telling.
"""
from pools import ADJECTIVES, ANIMALS, CITIES, COLORS, FOODS, JOBS, NAMES, NOUNS
from skills_chat import sample

ECHO = ["Repeat exactly: {}", "Repeat after me: {}", "Repeat this: {}", "Please repeat {}", "Repeat the phrase {}", "Say exactly {}", "Repeat {}.",
        "Repeat the following text exactly: {}", "Echo {}", "Echo this back to me: {}", "Write exactly this: {}", "Copy this text: {}", "Please say {}",
        "Repeat {} and nothing else.", "Reply with exactly {}", "Respond with exactly this: {}", "Can you repeat {}?", "Output this text: {}",
        "Repeat word for word: {}", "Answer with {}"]
ECHO_HELD = ["Please repeat exactly: {}", "Repeat this text: {}", "Repeat the text {}", "Please echo {}", "Copy this exactly: {}", "Can you say exactly {}?",
             "Write this text: {}", "Say this back to me: {}"]
QUOTES = [('"', '"'), ('"', '"'), ('"', '"'), ("'", "'"), ("“", "”"), ("`", "`"), ("«", "»")]


def echo(g):
    text = g.phrase(1, 10)
    if not g.held and g.chance(0.12):
        text = g.r.choice(["hello", "hello world", "Hello, world!", "The quick brown fox jumps over the lazy dog.", "this is a test", "hearth works", "I am here"])
    form = g.ph(ECHO, ECHO_HELD)
    if form.endswith(": {}") and g.chance(0.4):
        return sample(form.format(text), f"I repeat: {text}", text, exact=text)
    left, right = g.r.choice(QUOTES)
    return sample(form.format(left + text + right), f"I repeat: {text}", text, exact=text)


SAY = ["Say the word {}.", "Say the word {}", "Say {}.", "Say {}", "Reply with the word {}.", "Answer with the single word {}.", "Reply with one word: {}",
       "Just say {}.", "Say only the word {}.", "Please say the word {}.", "Write the word {}.", "Respond with only {}.", "Reply with {} only.",
       "Say the word {} and nothing else.", "Reply {}", "Only say: {}", "Say just {}", "Reply with just the word {}.", "Answer only with {}."]
SAY_HELD = ["Please say {}.", "Just say the word {}.", "Write only the word {}.", "Please reply with the word {}.", "Say only {}", "Answer with the word {}."]


def say(g):
    word = g.word() if g.held or g.chance(0.85) else g.r.choice(["OK", "ok", "pong", "hello", "yes", "banana", "done", "test", "ready"])
    if g.chance(0.1):
        word = g.code().rstrip(".")
    quoted = g.r.choice(["{}", "{}", "{}", '"{}"', "'{}'"]).format(word)
    return sample(g.ph(SAY, SAY_HELD).format(quoted), f"I say: {word}", word, exact=word)


FACTS = [
    ("name", ["My name is {}.", "I am {}.", "I'm {}.", "Call me {}.", "my name is {}", "Hi, my name is {}.", "Hello, I am {}", "Please remember that my name is {}.", "People call me {}."],
     ["My name, by the way, is {}.", "Hello! My name is {}."],
     ["What is my name?", "What's my name?", "Do you remember my name?", "Who am I?", "what is my name", "Tell me my name.", "What did I say my name was?", "Which name did I tell you?"],
     ["Can you tell me my name?", "So what is my name?", "Say my name."], "Your name is {}.", "Nice to meet you, {}!"),
    ("color", ["My favorite color is {}.", "I like the color {} best.", "The color I love is {}."], ["My best color is {}."],
     ["What is my favorite color?", "Which color do I like?", "What color do I love?"], ["What is the color I like?"], "Your favorite color is {}.", "Noted: {}."),
    ("city", ["I live in {}.", "My city is {}.", "My home is in {}."], ["I now live in {}."], ["Where do I live?", "Which city do I live in?", "What is my city?"],
     ["In which city do I live?"], "You live in {}.", "Noted: {}."),
    ("pet", ["My {a} is called {}.", "I have a {a} named {}.", "The name of my {a} is {}."], ["My {a} has the name {}."],
     ["What is my {a} called?", "What is the name of my {a}?", "How is my {a} called?"], ["Do you know the name of my {a}?"], "Your {a} is called {}.", "Noted: {}."),
    ("job", ["I work as a {}.", "My job is {}.", "I am a {} by trade."], ["My work: {}."], ["What is my job?", "What do I do for work?", "What is my work?"],
     ["Which job do I have?"], "Your job is {}.", "Noted: {}."),
    ("age", ["I am {} years old.", "My age is {}."], ["I turned {} this year."], ["How old am I?", "What is my age?"], ["Do you know my age?"], "You are {} years old.", "Noted: {}."),
    ("secret", ["The secret word is {}.", "Remember the word {}.", "The code word is {}.", "The password is {}.", "Remember this word: {}", "Please remember {}."],
     ["Keep in mind the word {}.", "The magic word is {}."],
     ["What is the secret word?", "What was the word?", "Which word did I tell you?", "What is the code word?", "What is the password?", "What did I ask you to remember?"],
     ["Which word was it?", "Tell me the word I told you."], "The word is {}.", "Noted: {}."),
]


def value_of(g, kind):
    if kind in ("name", "pet"):
        return g.name()
    if kind == "secret":
        return g.word() if g.chance(0.8) else g.code()
    if kind == "age":
        return str(g.r.randint(5, 99))
    return g.of({"color": COLORS, "city": CITIES, "job": JOBS}[kind])


def fact(g, kind=None):
    kind, tell, tell_held, ask, ask_held, answer, noted = g.r.choice([f for f in FACTS if kind in (None, f[0])])
    value, animal = value_of(g, kind), g.of(ANIMALS)
    fill = lambda text: text.replace("{a}", animal).replace("{}", value)
    return {"kind": kind, "value": value, "tell": fill(g.ph(tell, tell_held)), "ask": fill(g.ph(ask, ask_held)), "answer": fill(answer), "noted": fill(noted)}


def tell_fact(g):
    """The turn in which a fact is told."""
    f = fact(g)
    return sample(f["tell"], f"The user tells me: {f['value']}", f["noted"], contains=[f["value"]])


def recall(g, between=()):
    """A fact told before, asked for now; sometimes two facts, sometimes other turns in between."""
    kind = "name" if g.chance(0.45) else None
    facts = [fact(g, kind)]
    if g.chance(0.25):
        facts += [f for f in [fact(g)] if f["kind"] != facts[0]["kind"]]
    asked = g.r.choice(facts)
    if g.chance(0.12):
        out = sample(" ".join(f["tell"] for f in facts) + " " + asked["ask"], f"The answer is {asked['value']}", asked["answer"], contains=[asked["value"]])
        return out
    history = []
    for f in facts:
        heard = f["noted"] if g.chance(0.7) else g.r.choice(["OK.", "Noted.", "Thank you.", "Hello! How can I help you?", "Good to know!", g.phrase(2, 6)])
        history += [{"role": "user", "content": f["tell"]}, {"role": "assistant", "content": heard}]
    for other in between:
        history += [{"role": "user", "content": other["user"]}, {"role": "assistant", "content": other["reply"]}]
    out = sample(asked["ask"], f"The answer is {asked['value']}", asked["answer"], contains=[asked["value"]])
    return {**out, "history": history}


ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = {20: "twenty", 30: "thirty"}


def number_word(n):
    if n < 20:
        return ONES[n]
    return TENS[n // 10 * 10] + (f"-{ONES[n % 10]}" if n % 10 else "")


COUNT = ["Count from {a} to {b}.", "Count from {a} to {b}", "Please count from {a} to {b}.", "count from {a} to {b}", "Count up from {a} to {b}.",
         "List the numbers from {a} to {b}.", "Write the numbers from {a} to {b}.", "Can you count from {a} to {b}?", "Count slowly from {a} to {b}."]
COUNT_TO = ["Count to {b}.", "Count to {b}", "Please count to {b}.", "Can you count to {b}?", "Count up to {b}."]
COUNT_HELD = ["Please count up from {a} to {b}.", "Now count from {a} to {b}.", "Count the numbers from {a} to {b}.", "Could you count from {a} to {b}?"]
HELD_ENDS = [7, 13, 18, 23, 26, 29, 34, 41, 47, 52, 58]


def count(g):
    if g.held:
        a, b = (1, g.r.choice(HELD_ENDS)) if g.chance(0.8) else (g.r.randint(2, 9), g.r.choice(HELD_ENDS[1:]))
    else:
        b = g.r.randint(2, 30) if g.chance(0.72) else g.r.randint(31, 100) if g.chance(0.92) else g.r.randint(101, 250)
        b = b + 1 if b in HELD_ENDS else b
        a = 1 if g.chance(0.85) else g.r.randint(0, min(b - 1, 20))
    forms = COUNT + COUNT_TO if a == 1 else COUNT
    user = g.ph(forms, COUNT_HELD).format(a=a, b=b)
    words, sep = [str(n) for n in range(a, b + 1)], " "
    if b <= 30 and g.chance(0.25):
        user = user.rstrip(".?") + g.r.choice([" in words.", " as words.", " with words."])
        words = [number_word(n) for n in range(a, b + 1)]
    elif not g.held and g.chance(0.15):
        sep, how = g.r.choice([(", ", ", separated by commas."), ("\n", ", one per line."), (", ", " with commas.")])
        user = user.rstrip(".?") + how
    return sample(user, f"I count from {a} to {b}.", sep.join(words), exact=sep.join(words))


def caption_text(g):
    thing = lambda: f"a {g.of(COLORS) if g.chance(0.6) else g.of(ADJECTIVES)} {g.of(NOUNS)}"
    text = thing() + (g.r.choice([" next to ", " above ", " and ", " on "]) + thing() if g.chance(0.6) else "")
    return text + (g.r.choice([" on a ", " in front of a "]) + g.of(COLORS) + " background" if g.chance(0.4) else "")


def caption(g):
    """An image arrives as its caption in brackets."""
    text = caption_text(g)
    shown = g.r.choice(["[image: {}]", "[Image: {}]", "<image>{}</image>", "(image: {})", "Image: {}", "[image 1: {}]", "[Image description: {}]"]).format(text)
    ask = g.ph(["What is in this image?", "What's in this image?", "Describe the image.", "What do you see?", "What is in the picture?", "Describe this picture."],
               ["Please describe the image.", "What can you see in the image?"])
    gap = g.r.choice([" ", "\n", "\n\n"])
    user = ask + gap + shown if g.chance(0.5) else shown + gap + ask
    return sample(user, f"The image shows {text}", f"The image shows {text}.", contains=[text])
