"""A passage of 20 to 150 words about several people or things, and one question whose answer stands in it."""
from texts.manner import article, capital, choose, manner, uncapital
from skills.passage_relations import loose_facts
from skills.passage_text import facts_of, told_text
from skills.passage_values import KINDS
from texts.phrasings import phrasings
from texts.sample import sample, with_turns

SHORTEST, LONGEST = 20, 150
LOOSE_SHARE = 0.5  # of the passages are about relations of any name
FURTHER = [0, 0, 1, 2, 3, 4, 5]  # more questions about the same passage, each in a turn of its own
DOMAINS = [d for d in KINDS for _ in range(4 if d == "person" else 1)]


def question_of(g, fact):
    """(question, answer): for the value, now and then for whom the value belongs to."""
    turned = fact.forms["who"] and g.chance(0.18)
    template = choose(g, g.r.choice(fact.forms["who" if turned else "ask"]))
    r = g.r.random()
    template = manner(g, template) if r < 0.4 else template
    text = article(template.format(v=fact.value, **fact.entity.slots))
    return capital(text) if template[0] == "{" else text, fact.reply()


def material(g):
    """Facts of one domain or two, or of relations that any word may name."""
    if g.chance(LOOSE_SHARE):
        return loose_facts(g)
    facts = facts_of(g, g.r.choice(DOMAINS))
    return facts + facts_of(g, g.r.choice(DOMAINS)) if len(facts) < 5 or g.chance(0.4) else facts


def letter(g, text, facts):
    """The same as a letter, with a question of its own now and then."""
    slots = {"to": g.name(), "from": g.name()}
    data = phrasings("passage")
    head, end = (g.r.choice(data[p]).format(**slots) for p in ("letter_head", "letter_end"))
    gap = g.r.choice(["\n", "\n", "\n\n", " "])
    whole = head + gap + text + gap + end
    if g.chance(0.5):
        which = g.r.choice(["letter_from", "letter_to"])
        asked = manner(g, g.r.choice(data[which + "_ask"])).format(**slots)
        return whole, asked, data[which + "_reply"][0].format(**slots), end if which == "letter_from" else head
    return whole, None, None, None


def passage(g):
    """A passage, the question, and the sentence which answers it."""
    while True:
        facts = material(g)
        told = told_text(g, facts)
        text = told.whole()
        if facts and SHORTEST <= text.count(" ") + 1 <= LONGEST:
            break
    fact = g.r.choice(facts)
    asked, reply = question_of(g, fact)
    source = told.sentences[told.place[id(fact)]] + "."
    if g.chance(0.1):
        text, other, other_reply, other_source = letter(g, text, facts)
        asked, reply, source = (other, other_reply, other_source) if other else (asked, reply, source)
    layout = choose(g, g.r.choice(phrasings("passage")["layouts"]))
    if "{q}" in layout and layout.startswith("In the text"):
        asked = uncapital(asked)
    user = layout.replace("{q}", "\0").replace("{text}", text).replace("\0", asked)
    first = sample(user, f"The text says: {source}", reply)
    return further(g, first, [f for f in facts if f is not fact], told)


def further(g, first, facts, told):
    """The same, and now and then more questions about it, the last of them the one that is asked now."""
    count = min(g.r.choice(FURTHER), len(facts))
    if not count:
        return first
    turns = [(first["user"], first["reply"])]
    for fact in g.r.sample(facts, count):
        turns.append(g.unheld(lambda: question_of(g, fact), text=lambda turn: turn[0]))
        source = told.sentences[told.place[id(fact)]] + "."
    return with_turns(turns, f"The text says: {source}")
