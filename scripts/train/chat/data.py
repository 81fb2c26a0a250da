"""From skills to token ids: the mix of skills, the conversation around each, what is thrown away because the evaluation
may ask it, and batches of similar length.
"""
import re

import numpy as np

from bpe import SPECIALS
from mix import EARLIER_SKILLS, MIX, PLAIN, SKILLS, first_line_texts
from texts.pools import Gen, is_held
from render import prompt_ids, reply_text
from skills.tools import unused_tools
from texts.surroundings import before

CONTEXT = 2048
THINKS = {"arithmetic": 0.35, "choice": 0.4, "how_many": 0.3}  # the share of samples that think first; of all other skills:
THINKS_ELSE = 0.2
KEY = re.compile(rb'[{,]"((?:[^"\\]|\\.)*)":')
NAMES, WEIGHTS = list(MIX), list(MIX.values())


def held_turn(messages):
    """Whether any user turn is kept for the evaluation."""
    return any(m["role"] == "user" and is_held(m["content"]) and m["content"] not in first_line_texts() for m in messages)


def turn_of(g, skill):
    """A skill's sample in which no user turn is held."""
    while True:
        s = SKILLS[skill](g)
        if not held_turn([*s.get("history", []), {"role": "user", "content": s["user"]}]):
            return {**s, "skill": skill}


def small_turn(g):
    """One earlier turn of another skill; its reply is trained on, too."""
    s = turn_of(g, g.r.choice(EARLIER_SKILLS))
    return [*s.get("history", []), {"role": "user", "content": s["user"]}, {"role": "assistant", "content": s["reply"], "trained": True}]


def draw(g, skill=None):
    """A whole conversation: {"messages", "thought", "reply", maybe "tools", "calls", ...}."""
    s = turn_of(g, skill or g.r.choices(NAMES, WEIGHTS)[0])
    if "tools" not in s and g.chance(PLAIN.get(s["skill"], 0)):
        s["tools"] = unused_tools(g, s["user"])
    user = {"role": "user", "content": s["user"]}
    return {**s, "messages": [*before(g, small_turn), *s.get("history", []), user, *s.get("after", [])]}


def cut_at_random(g, tokenizer, text, share=0.3):
    """JSON in pieces cut at random punctuation and inside of names, because a grammar may force other token borders."""
    parts, last = [], 0
    for i in range(1, len(text)):
        edge = text[i - 1] in '{}[]":, \n_' or text[i] in '{}[]":,\n_'
        if g.r.random() < (share if edge else 0.02):
            parts.append(text[last:i])
            last = i
    parts.append(text[last:])
    whole = all(sum(p.count(t) for p in parts) == text.count(t) for t in SPECIALS)
    return [i for p in parts for i in tokenizer.encode(p)] if whole else tokenizer.encode(text)


def encode(g, tokenizer, s):
    """(ids, the spans of trained ones). `given` tokens of the reply are the grammar's, not the model's choice."""
    think = s["think"] if "think" in s else g.chance(THINKS.get(s["skill"], THINKS_ELSE))
    prompt = prompt_ids(tokenizer, s["messages"], s.get("tools"), think)
    text = reply_text(s, think)
    strict = s.get("calls") or s.get("json")
    reply = cut_at_random(g, tokenizer, text) if strict and g.chance(0.2) else tokenizer.encode(text)
    start = len(prompt) + (0 if think else s.get("given", 0))
    ids = prompt + reply + [tokenizer.ids["<|im_end|>"]]
    spans = without_keys(tokenizer, text, reply, start, len(prompt)) if s.get("blind") else [(start, len(ids))]
    return ids, [*earlier_spans(tokenizer, prompt, s["messages"]), *spans]


def without_keys(tokenizer, text, reply, start, offset):
    """The spans of a JSON reply outside the names of its fields, which a grammar writes and nothing in the prompt tells."""
    keys = [m.span(1) for m in KEY.finditer(text.encode())]
    spans, at = [], 0
    for i, token in enumerate(reply):
        if offset + i >= start and not any(a <= at < b for a, b in keys):
            if spans and spans[-1][1] == offset + i:
                spans[-1] = (spans[-1][0], offset + i + 1)
            else:
                spans.append((offset + i, offset + i + 1))
        at += tokenizer.size(token)
    end = offset + len(reply)
    return [*spans, (end, end + 1)]


def earlier_spans(tokenizer, prompt, messages):
    """Where earlier replies that are trained on stand: from their second token, since the first would teach not to think, to their end."""
    if not any(m.get("trained") for m in messages):
        return
    head, end = tokenizer.encode("<|im_start|>assistant\n"), tokenizer.ids["<|im_end|>"]
    starts = [i + len(head) for i, token in enumerate(prompt) if token == head[0] and prompt[i:i + len(head)] == head]
    for start, m in zip(starts, (m for m in messages if m["role"] == "assistant")):
        if m.get("trained"):
            yield start + 1, prompt.index(end, start) + 1


def random_copy(g, tokenizer, kinds):
    """Random tokens of so many kinds to be repeated: while they are few bare, then also as a chat turn with quotes. Teaches copying."""
    count, spread = tokenizer.first_special, 997  # prime to the number of tokens, so that few kinds are of all sorts
    run = [g.r.randrange(min(kinds, count)) * spread % count for _ in range(g.r.randint(3, 24))]
    if kinds < count or g.chance(0.5):
        return run * 3, [(len(run) + 1, 3 * len(run))]
    ask = g.r.choice(["Repeat exactly: ", "Repeat: ", "Echo ", "Say exactly ", "Copy: "])
    head = tokenizer.encode("<|im_start|>user\n") + tokenizer.encode(ask) + tokenizer.encode('"')
    prompt = head + run + tokenizer.encode('"<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n')
    ids = prompt + run + [tokenizer.ids["<|im_end|>"]]
    return ids, [(len(prompt), len(ids))]


def samples(seed, tokenizer, count, copy_share, copy_kinds):
    """`count` encoded training samples of one seed, a share of them copies of tokens of so many kinds: (ids, the spans of trained ones)."""
    g, out = Gen(seed), []
    while len(out) < count:
        if g.chance(copy_share):
            out.append(random_copy(g, tokenizer, copy_kinds))
            continue
        s = draw(g)
        assert not held_turn(s["messages"]), s["messages"]
        ids, spans = encode(g, tokenizer, s)
        if len(ids) <= CONTEXT:
            out.append((ids, spans))
    return out


def shown_length(length):
    """The length a row of so many tokens is filled up to. Few shapes, because the matrix kernels are made anew for each."""
    step = 16 if length <= 160 else 32 if length <= 512 else 128
    return -(-length // step) * step


def batches(encoded, rng, count):
    """`count` batches of similar lengths, each with about as many tokens (filling included) as the others, shuffled by `rng`: with the same
    one, several processes have batches of like lengths at the same time and seldom wait for each other."""
    ordered = sorted(encoded, key=lambda x: len(x[0]))
    share, out, used = sum(shown_length(len(x)) for x, _ in ordered) / count, [[]], 0
    for item in ordered:
        if used >= share * len(out):
            out.append([])
        out[-1].append(item)
        used += shown_length(len(item[0]))
    rng.shuffle(out)
    return out


def arrays(batch):
    """ids [n, longest], and rows, columns and targets of the trained positions; some more that count for nothing (-100)."""
    ids = np.zeros((len(batch), shown_length(max(len(x) for x, _ in batch))), np.int64)
    rows, cols, targets = [], [], []
    for r, (x, spans) in enumerate(batch):
        ids[r, :len(x)] = x
        for start, end in spans:
            rows += [r] * (end - start)
            cols += range(start - 1, end - 1)
            targets += x[start:end]
    more = -len(targets) % 128
    return ids, np.array(rows + [0] * more), np.array(cols + [0] * more), np.array(targets + [-100] * more)
