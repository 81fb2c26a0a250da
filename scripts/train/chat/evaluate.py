"""`python3 scripts/train/chat/evaluate.py ITEMS.jsonl [RUN]`: greedy answers of the last checkpoint, its weights as they are
after quantisation, to the evaluation's items (`npm run eval:builtin -- --write-items ITEMS.jsonl`), and a score per
skill. A quick look while training goes on; what counts is the evaluation through the server.
"""
import copy
import json
import sys
import time
from collections import defaultdict
from pathlib import Path

import torch

import json_prefix
from gguf import round_trip
from grade import right
from render import prompt_ids

MAX_TOKENS = 400
BATCH_TOKENS = 6000  # of prompts answered together, padding included


def quantised(model):
    """A copy with every matrix as it will be stored, computing in float32."""
    out = copy.deepcopy(model).eval()
    out.dtype = torch.float32
    for name, view in [("token_embd", out.token_embd.data), *out.matrices()]:
        view.copy_(torch.from_numpy(round_trip(name, view.numpy())))
    return out


class Row:
    """One answer in the making."""

    def __init__(self, item, tokenizer):
        self.item, self.tokenizer = item, tokenizer
        self.prompt = prompt_ids(tokenizer, item["messages"], item.get("tools"), item["reasoning"])
        self.stop = tokenizer.ids["<|im_end|>"]
        self.schema = ((item.get("response_format") or {}).get("json_schema") or {}).get("schema")
        self.out, self.ended, self.done = [], False, False

    def take(self, logits):
        """The next token: the likeliest one, or the likeliest that the schema allows."""
        token = int(logits.argmax()) if self.schema is None else self.held(logits)
        if token == self.stop:
            self.ended = self.done = True
        else:
            self.out.append(token)
            self.done = len(self.out) >= MAX_TOKENS
        return token

    def held(self, logits):
        text = self.tokenizer.decode(self.out)
        if "<think>" in text or self.item["reasoning"]:
            if "</think>" not in text:
                return int(logits.argmax())
            text = text.split("</think>")[1].lstrip()
        if json_prefix.state(text, self.schema) == "done":
            return self.stop
        for token in logits.argsort(descending=True).tolist():
            if token != self.stop and json_prefix.state(text + self.tokenizer.decode([token]), self.schema) != "wrong":
                return token
        return self.stop


@torch.no_grad()
def answer(model, rows):
    """Answers all rows together: prompts are filled up on their left, rows that are done are dropped now and then."""
    longest = max(len(r.prompt) for r in rows)
    pad = torch.tensor([longest - len(r.prompt) for r in rows])
    block = torch.tensor([[0] * (longest - len(r.prompt)) + r.prompt for r in rows])
    caches, start, live, heads = [{} for _ in model.blk], 0, rows, model.cfg.heads
    while live and start + block.shape[1] < model.cfg.context:
        logits = model.logits(model.hidden(block, caches, start, pad=pad)[:, -1])
        start += block.shape[1]
        block = torch.tensor([[0 if r.done else r.take(l)] for r, l in zip(live, logits)])
        keep = [i for i, r in enumerate(live) if not r.done]
        if len(keep) <= 0.7 * len(live):
            live, pad, block = [live[i] for i in keep], pad[keep], block[keep]
            parts = torch.tensor([i * heads + h for i in keep for h in range(heads)], dtype=torch.long)
            for cache in caches:
                cache["k"], cache["v"] = cache["k"][parts], cache["v"][parts]


def evaluate(model, tokenizer, items, out=None):
    """Scores {skill: [right, all]}; every miss is written to `out` when given."""
    model, scores = quantised(model), defaultdict(lambda: [0, 0])
    rows = sorted((Row(item, tokenizer) for item in items), key=lambda r: len(r.prompt))
    together = []
    for row in rows:
        if (len(together) + 1) * len(row.prompt) > BATCH_TOKENS and together:
            answer(model, together)
            together = []
        together.append(row)
    answer(model, together)
    for row in rows:
        item, text = row.item, tokenizer.decode(row.out)
        good = right(item, text, row.ended)
        scores[item["skill"]][0] += good
        scores[item["skill"]][1] += 1
        if not good and out:
            print(json.dumps([item["skill"], item["messages"][-1].get("content"), item["expect"], text], ensure_ascii=False), file=out)
    return dict(sorted(scores.items()))


def report(scores):
    lines = [f"{skill:14s} {good:4d} / {total:4d} {100 * good / total:6.1f} %" for skill, (good, total) in scores.items()]
    good, total = (sum(s[i] for s in scores.values()) for i in (0, 1))
    return "\n".join(lines + [f"{'all':14s} {good:4d} / {total:4d} {100 * good / max(1, total):6.1f} %"])


def main():
    from checkpoint import RUN, load_items, load_tokenizer, restore
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    run, started = Path(sys.argv[2]) if len(sys.argv) > 2 else RUN, time.time()
    tokenizer = load_tokenizer(run)
    model, _, state = restore(run, tokenizer)
    with open(run / "misses.jsonl", "w", encoding="utf-8") as misses:
        scores = evaluate(model, tokenizer, load_items(sys.argv[1]), misses)
    print(f"step {state['step']}, {time.time() - started:.0f} s\n{report(scores)}")


if __name__ == "__main__":
    main()
