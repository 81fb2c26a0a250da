"""What stands around a skill's turn: system prompts, earlier turns of other skills, tools that are not needed."""
from texts.phrasings import say
from texts.pools import ADJECTIVES, JOBS, NOUNS, VERBS

EARLIER = [0, 0, 0, 0, 0, 1, 1, 2, 3, 5]


def words_for(g):
    return {"name": g.name(), "city": g.city(), "job": g.r.choice(JOBS), "noun": g.of(NOUNS), "adjective": g.of(ADJECTIVES), "verb": g.of(VERBS), "hour": g.r.randint(1, 12)}


def system_prompt(g):
    """Usual ones by name, a role, or rules of this model's own making."""
    x = g.r.random()
    if x < 0.55:
        return say(g, "system", "plain")
    if x < 0.8:
        return say(g, "system", "role", **words_for(g))
    return " ".join([say(g, "system", "plain")] + [say(g, "system", "rule", **words_for(g)) for _ in range(g.r.randint(1, 3))])


def before(g, turn):
    """The messages before a skill's own: a system prompt half of the time, now and then turns that `turn(g)` gives."""
    messages = []
    if g.chance(0.5):
        messages.append({"role": "developer" if g.chance(0.12) else "system", "content": system_prompt(g)})
        if g.chance(0.03):
            messages.append({"role": "system", "content": system_prompt(g)})
    if g.chance(0.003):
        messages += long_turn(g)
    for _ in range(g.r.choice(EARLIER)):
        messages += turn(g)
    return messages


def long_turn(g):
    """Much text that is of no use, so that all distances are met."""
    text = g.unheld(lambda: " ".join(g.phrase(6, 14) for _ in range(g.r.randint(10, 40))))
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "I don't know. I am only a small built-in model."}]
