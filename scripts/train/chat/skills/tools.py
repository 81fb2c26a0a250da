"""Tool skills: a call for a request that a tool fits, two calls when two things are asked, a sentence from results, and
doing without when no tool fits.
"""
from texts.phrasings import phrasings, say
from texts.sample import sample
from skills.tool_asks import DOMAINS, familiar, invented, joined
from skills.tool_results import result

UNKNOWN = "I don't know. I am only a small built-in model."
COMPUTED = {"math", "text"}  # what the model may try by itself without a tool


def wish(g):
    return invented(g) if g.chance(0.42) else familiar(g)


def others(g, wanted, count, without=()):
    """`count` more tools that the request cannot mean, none of the groups `without`. Beside an invented one there is now and then another
    of the same verb or the same noun, so that both words count."""
    tools, groups = [], {w["group"] for w in wanted} | set(without)
    names = {w["tool"]["function"]["name"] for w in wanted}
    akin = [w["words"] for w in wanted if "words" in w]
    while len(tools) < count:
        like = g.r.choice(akin) if akin and g.chance(0.4) else None
        other = invented(g, like) if like else wish(g)
        name = other["tool"]["function"]["name"]
        near = set(other["words"]) in map(set, akin) if like else shares_word(name, names)
        if other["group"] not in groups and name not in names and not near:
            groups.add(other["group"])
            names.add(name)
            tools.append(other["tool"])
    return tools


def shares_word(name, names):
    """Two invented names that have a word in common: a request could mean both."""
    words = set(name.lower().split("_"))
    return any(words & set(n.lower().split("_")) - {"get", "set", "find", "search", "book", "create", "add", "send"} for n in names)


def tool_set(g, wanted):
    tools = [w["tool"] for w in wanted]
    tools += others(g, wanted, max(0, g.r.choices([1, 2, 3, 4], [34, 24, 22, 20])[0] - len(tools)))
    g.r.shuffle(tools)
    return tools


def said(g, text):
    return say(g, "tools", "ways", **{"0": text})


def thought_of(calls):
    return "I call " + " and ".join(c["name"] + (" with " + ", ".join(str(v) for v in c["arguments"].values()) if c["arguments"] else "") for c in calls) + "."


def tool_call(g):
    """One call."""
    w = wish(g)
    return {**sample(said(g, w["ask"]), thought_of([w["call"]]), ""), "tools": tool_set(g, [w]), "calls": [w["call"]]}


def tool_calls(g):
    """Two calls at once: of one tool with two values, or of two tools."""
    if g.chance(0.5):
        x = g.r.random()
        w = invented(g, twice=True) if x < 0.4 else familiar(g, g.r.choice(TWICE), twice=True) if x < 0.6 else familiar(g, twice=True)
        if w["calls"][0] == w["calls"][1]:
            return tool_calls(g)
        wanted, ask, calls = [w], w["ask"], w["calls"]
    else:
        first, second = wish(g), wish(g)
        names = [w["tool"]["function"]["name"] for w in (first, second)]
        if first["group"] == second["group"] or shares_word(names[0], names[1:]):
            return tool_calls(g)
        wanted, calls = [first, second], [first["call"], second["call"]]
        ask = joined(g, first["ask"], second["ask"])
    return {**sample(said(g, ask), thought_of(calls), ""), "tools": tool_set(g, wanted), "calls": calls}


TWICE = [part.removesuffix("_two") for part in phrasings("tools") if part.removesuffix("_two") in DOMAINS and part.endswith("_two") and part != "light_two"]
def tool_result(g):
    """The result of a call, or of two, put into a sentence."""
    first = tool_calls(g) if g.chance(0.3) else tool_call(g)
    calls = [{"id": f"call_{g.number(4)}{i}", "type": "function", "function": c} for i, c in enumerate(first["calls"])]
    results = [result(g) for _ in calls]
    after = [{"role": "assistant", "content": g.r.choice([None, None, None, "I will look."]), "tool_calls": calls, "trained": True}]
    after += [{"role": "tool", "tool_call_id": c["id"], "content": content} for c, (content, _) in zip(calls, results)]
    reply = " ".join(sentence for _, sentence in results)
    out = {**sample(first["user"], "I have the result." if len(calls) == 1 else "I have the results.", reply), "tools": first["tools"], "after": after}
    return out


def tool_again(g):
    """One call, or two, after earlier ones of the same conversation, with the same tools."""
    wishes = apart(g, g.r.randint(2, 4))
    last = wishes[:2] if len(wishes) > 2 and g.chance(0.3) else wishes[:1]
    calls = [w["call"] for w in last]
    ask = joined(g, *(w["ask"] for w in last)) if len(last) > 1 else last[0]["ask"]
    history = [message for w in wishes[len(last):] for message in done(g, w)]
    return {**sample(said(g, ask), thought_of(calls), ""), "history": history, "tools": tool_set(g, wishes), "calls": calls}


def apart(g, count):
    """So many wishes, each for another tool."""
    wishes = []
    while len(wishes) < count:
        w = wish(g)
        names = [x["tool"]["function"]["name"] for x in wishes]
        if w["group"] not in [x["group"] for x in wishes] and not shares_word(w["tool"]["function"]["name"], names):
            wishes.append(w)
    return wishes


def done(g, w):
    """A wish, its call, the result and the sentence, both trained on, too."""
    content, sentence = result(g)
    call = {"id": f"call_{g.number(4)}", "type": "function", "function": w["call"]}
    return [{"role": "user", "content": g.unheld(lambda: said(g, w["ask"]))}, {"role": "assistant", "content": None, "tool_calls": [call], "trained": True},
            {"role": "tool", "tool_call_id": call["id"], "content": content}, {"role": "assistant", "content": sentence, "trained": True}]


def tool_unfit(g):
    """A request for a tool that is not there."""
    w = familiar(g)
    if w["group"] in COMPUTED:
        return tool_unfit(g)
    out = sample(said(g, w["ask"]), "No tool fits.", UNKNOWN)
    return out if g.chance(0.12) else {**out, "tools": others(g, [w], g.r.randint(1, 4))}


def unused_tools(g, text):
    """Tools which a request of another skill does not need."""
    low = text.lower()
    while True:
        tools = others(g, [], g.r.randint(1, 4), CLASHING)
        words = {w for t in tools for w in t["function"]["name"].lower().split("_")}
        if not any(w in low for w in words if len(w) > 3):
            return tools


CLASHING = {"math", "text", "lookup", "translate", "clock"}
