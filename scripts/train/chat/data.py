"""From skills to token ids: the mix of skills, the surroundings (system prompts, earlier turns, unused tools,
long fillers), the held-out set, and batches of similar length.
"""
import json

import numpy as np

import skills_chat as chat
import skills_copy as copy
import skills_tools as tool
from pools import Gen
from render import prompt_ids, prompt_text, reply_text
from stories import story

SKILLS = {"greet": chat.greet, "smalltalk": chat.smalltalk, "identity": chat.identity, "sdk": chat.sdk, "arithmetic": chat.arithmetic, "unknown": chat.unknown,
          "no_name": chat.no_name, "echo": copy.echo, "say": copy.say, "tell": copy.tell_fact, "recall": copy.recall, "count": copy.count, "caption": copy.caption, "story": story,
          "tool_call": tool.tool_call, "tool_result": tool.tool_result, "tool_unfit": tool.no_fitting_tool}
MIX = {"greet": 3, "smalltalk": 5, "identity": 4, "sdk": 9, "arithmetic": 3, "unknown": 8, "no_name": 1, "echo": 15, "say": 10, "tell": 2.5, "recall": 10, "count": 7,
       "caption": 2.5, "story": 2.2, "tool_call": 21, "tool_result": 12, "tool_unfit": 2.5}
PLAIN = ["greet", "smalltalk", "identity", "sdk", "unknown", "echo", "say", "count", "tell"]
EASY = ["greet", "smalltalk", "identity", "sdk", "echo", "say", "tell", "unknown"]
TOOL_WORDS = ("weather", "price", "cost", "Translate")  # "I don't know" is wrong where a tool may fit
HELD_PER_SKILL = 32
SAME_LAST_TURN = {"recall", "tool_result", "sdk", "no_name", "arithmetic"}


def small_turn(g):
    s = SKILLS[g.r.choice(EASY)](g)
    return [{"role": "user", "content": s["user"]}, {"role": "assistant", "content": s["reply"]}]


def surround(g, s, plain=False):
    """The whole conversation around a skill's turn, as {"messages", "tools", ...}."""
    messages = []
    if g.chance(0.5):
        messages.append({"role": "developer" if g.chance(0.12) else "system", "content": chat.system_prompt(g)})
        if g.chance(0.04):
            messages.append({"role": "system", "content": chat.system_prompt(g)})
    if not plain:
        if g.chance(0.006):
            filler = " ".join(g.phrase(6, 14) for _ in range(g.r.randint(10, 40)))
            messages += [{"role": "user", "content": filler}, {"role": "assistant", "content": chat.UNKNOWN}]
        for _ in range(g.r.choice([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3])):
            messages += small_turn(g)
    messages += s.get("history", [])
    messages.append({"role": "user", "content": s["user"]})
    messages += s.get("after", [])
    return {**s, "messages": messages}


def draw(g, skill=None, plain=False):
    skill = skill or g.r.choices(list(MIX), list(MIX.values()))[0]
    if skill == "recall" and g.chance(0.4):
        s = copy.recall(g, [SKILLS[g.r.choice(EASY[:6])](g) for _ in range(g.r.randint(1, 2))])
    else:
        s = SKILLS[skill](g)
    s["skill"] = skill
    if skill in PLAIN and g.chance(0.06) and not any(word in s["user"] for word in TOOL_WORDS):
        s["tools"] = tool.tool_set(g)
    return surround(g, s, plain)


def conversation_key(messages, tools=None):
    return json.dumps([[m["role"], m.get("content"), m.get("tool_calls")] for m in messages] + [tools or []], ensure_ascii=False)


def last_user(messages):
    return [m["content"] for m in messages if m["role"] == "user"][-1]


def held_item(skill, s, think):
    expect = dict(s["expect"], thinks=think, ends=True)
    item = {"skill": skill, "messages": s["messages"]}
    if s.get("tools"):
        item["tools"] = s["tools"]
    return {**item, "reasoning": think, "expect": expect}


def held_out():
    """The evaluation set: made from the held-out side of every pool, the same on every run."""
    items = []
    for n, skill in enumerate(k for k in SKILLS if k not in ("no_name", "tell")):
        g, seen = Gen(7000 + n, held=True), set()
        while len(seen) < HELD_PER_SKILL:
            s = draw(g, skill, plain=True)
            key = conversation_key(s["messages"], s.get("tools"))
            if key not in seen and (skill == "tool_result" or not skill.startswith("tool") or s.get("tools")):
                seen.add(key)
                items.append(held_item(skill, s, False))
    for skill, think in (("thinking", True), ("tools_unused", False)):
        g = Gen(7100 + think, held=True)
        for i in range(HELD_PER_SKILL):
            s = draw(g, (PLAIN[:-1] + ["tool_call"] * (2 if think else 0))[i % (8 + 2 * think)], plain=True)
            if not think and not s.get("tools"):
                s["tools"] = tool.tool_set(g)
            items.append(held_item(skill, s, think))
    return items


class HeldKeys:
    """What training must never see: whole conversations, and last user turns where they alone are the question."""

    def __init__(self, items):
        self.whole = {conversation_key(i["messages"], i.get("tools")) for i in items}
        self.last = {last_user(i["messages"]) for i in items if i["skill"] not in SAME_LAST_TURN | {"thinking", "tools_unused"}}
        first_lines = {q for q, _ in chat.FIRST_LINES}
        self.last -= first_lines

    def clash(self, s):
        if s["skill"] not in SAME_LAST_TURN and s["user"] in self.last:
            return True
        return conversation_key(s["messages"], s.get("tools")) in self.whole


def split_encode(g, tokenizer, text):
    """Tool-call text cut at random punctuation first, because a grammar may force other token borders."""
    parts, last = [], 0
    for i in range(1, len(text)):
        if (text[i - 1] in '{}":, \n' or text[i] in '{}":,\n') and g.chance(0.3):
            parts.append(text[last:i])
            last = i
    special = ("<tool_call>", "</tool_call>", "<think>", "</think>")
    safe = all(sum(p.count(t) for p in parts + [text[last:]]) == text.count(t) for t in special)
    return [i for p in parts + [text[last:]] for i in tokenizer.encode(p, False)] if safe else tokenizer.encode(text, False)


def encode(g, tokenizer, s):
    """(ids, number of prompt tokens)."""
    think = g.chance(0.22)
    if g.chance(0.5):
        prompt = prompt_ids(tokenizer, s["messages"], s.get("tools"), think)
    else:  # in one go, as some engines do: "}" and a newline become one token then
        prompt = tokenizer.encode(prompt_text(s["messages"], s.get("tools"), think))
    text = reply_text(s, think)
    reply = split_encode(g, tokenizer, text) if s.get("call") and g.chance(0.2) else tokenizer.encode(text, False)
    return prompt + reply + [tokenizer.ids["<|im_end|>"]], len(prompt)


def random_copy(g, tokenizer):
    """Random tokens to be repeated, bare or as a chat turn with quotes: teaches copying as such."""
    run = [g.r.randrange(tokenizer.first_special) for _ in range(g.r.randint(3, 32))]
    if g.chance(0.5):
        return run * 3, len(run) + 1
    ask = g.r.choice(["Repeat exactly: ", "Repeat: ", "Echo ", "Say exactly ", "Copy: "])
    head = tokenizer.encode("<|im_start|>user\n") + tokenizer.encode(ask) + tokenizer.encode('"')
    prompt = head + run + tokenizer.encode('"<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n')
    return prompt + run + [tokenizer.ids["<|im_end|>"]], len(prompt)


def samples(seed, tokenizer, count, copy_share, held):
    """`count` encoded training samples of one seed."""
    g, out = Gen(seed), []
    while len(out) < count:
        if g.chance(copy_share):
            out.append(random_copy(g, tokenizer))
            continue
        s = draw(g)
        if held.clash(s):
            continue
        assert conversation_key(s["messages"], s.get("tools")) not in held.whole
        ids, start = encode(g, tokenizer, s)
        if len(ids) <= 2048:
            out.append((ids, start))
    return out


def batches(encoded, rng, tokens):
    """Sorted by length, cut into batches of about `tokens` padded tokens, shuffled."""
    encoded = sorted(encoded, key=lambda x: len(x[0]))
    out, current = [], []
    for item in encoded:
        if current and len(item[0]) * (len(current) + 1) > tokens:
            out.append(current)
            current = []
        current.append(item)
    out.append(current)
    rng.shuffle(out)
    return out


def arrays(batch):
    """ids [n, longest], and rows, columns and targets of the trained positions."""
    ids = np.zeros((len(batch), max(len(x) for x, _ in batch)), np.int64)
    rows, cols, targets = [], [], []
    for r, (x, start) in enumerate(batch):
        ids[r, :len(x)] = x
        rows += [r] * (len(x) - start)
        cols += range(start - 1, len(x) - 1)
        targets += x[start:]
    return ids, np.array(rows), np.array(cols), np.array(targets)
