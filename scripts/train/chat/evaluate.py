"""Greedy answers to the held-out prompts, judged by the rules of README.md, with the weights as they are after
quantisation. Prints a score per skill; the server-side evaluation runs the same file through the real engine.
"""
import copy
import json
import re
import sys
from collections import defaultdict

import numpy as np
import torch

from gguf import q8_0_round_trip
from render import prompt_ids

MAX_TOKENS = 600


def quantised(model):
    """A copy with every matrix rounded to Q8_0."""
    out = copy.deepcopy(model).eval()
    for p in out.parameters():
        if p.dim() == 2:
            p.data = torch.from_numpy(np.ascontiguousarray(q8_0_round_trip(p.data.numpy())))
    return out


@torch.no_grad()
def generate(model, ids, stop, limit=MAX_TOKENS):
    """Greedy continuation; returns (ids, ended by the stop token)."""
    caches, out, start = [{} for _ in model.blk], [], 0
    block = torch.tensor([ids])
    while len(out) < limit and start + block.shape[1] < model.cfg.context:
        hidden = model.hidden(block, caches, start)[0, -1]
        start += block.shape[1]
        token = int((model.token_embd.weight @ hidden).argmax())
        if token == stop:
            return out, True
        out.append(token)
        block = torch.tensor([[token]])
    return out, False


def parse(text):
    """(thought, content, tool calls) as a server would split them."""
    thought, calls = "", []
    if m := re.match(r"\s*<think>(.*?)(</think>|$)", text, re.S):
        thought, text = m.group(1).strip(), text[m.end():]
    for m in re.finditer(r"<tool_call>(.*?)</tool_call>", text, re.S):
        try:
            calls.append(json.loads(m.group(1)))
        except ValueError:
            calls.append(None)
    return thought, re.sub(r"<tool_call>.*?(</tool_call>|$)", "", text, flags=re.S).strip(), calls


def judge(expect, text, ended):
    """True when every rule in `expect` holds."""
    thought, content, calls = parse(text)
    low = content.lower()
    if expect.get("ends") and not ended:
        return False
    if "thinks" in expect and expect["thinks"] != bool(thought):
        return False
    if "exact" in expect and content != expect["exact"].strip():
        return False
    if "contains" in expect and not all(s.lower() in low for s in expect["contains"]):
        return False
    if "anyOf" in expect and not any(s.lower() in low for s in expect["anyOf"]):
        return False
    return calls == ([expect["toolCall"]] if "toolCall" in expect else [])


def evaluate(model, tokenizer, items, out=None):
    """Scores {skill: [right, all]}; every miss is written to `out` when given."""
    model, scores = quantised(model), defaultdict(lambda: [0, 0])
    stop = tokenizer.ids["<|im_end|>"]
    for item in items:
        prompt = prompt_ids(tokenizer, item["messages"], item.get("tools"), item["reasoning"])
        reply, ended = generate(model, prompt, stop)
        text = tokenizer.decode(reply)
        right = judge(item["expect"], text, ended)
        scores[item["skill"]][0] += right
        scores[item["skill"]][1] += 1
        if not right and out:
            print(json.dumps([item["skill"], item["messages"][-1]["content"], item["expect"], text], ensure_ascii=False), file=out)
    return dict(scores)


def report(scores):
    lines = [f"{skill:14s} {right:3d} / {total}" for skill, (right, total) in scores.items()]
    right, total = (sum(s[i] for s in scores.values()) for i in (0, 1))
    return "\n".join(lines + [f"{'all':14s} {right:3d} / {total}"])


if __name__ == "__main__":
    from checkpoint import RUN, load_items, load_tokenizer, restore
    torch.set_num_threads(1)
    tokenizer = load_tokenizer()
    model, _, state = restore(tokenizer)
    items = [i for n, i in enumerate(load_items()) if len(sys.argv) < 2 or n % int(sys.argv[1]) == 0]
    with open(RUN / "misses.jsonl", "w") as misses:
        print(f"step {state['step']}\n" + report(evaluate(model, tokenizer, items, misses)))
