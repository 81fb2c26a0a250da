"""What a run leaves behind and finds again: held-out items, the tokenizer's merges, the last checkpoint (.run/, ignored by git)."""
import json
from collections import Counter
from pathlib import Path

import torch

from bpe import SPECIALS, Tokenizer, pretokenize, train_merges
from data import draw
from model import Config, Model
from optim import Optimizer
from pools import Gen
from render import prompt_text, reply_text

HERE = Path(__file__).resolve().parent
RUN = HERE / ".run"
VOCAB = 2048


def load_items():
    return [json.loads(line) for line in (HERE / "heldout.jsonl").read_text(encoding="utf-8").splitlines()]


def load_tokenizer():
    """The tokenizer, trained on the first use from twelve thousand training conversations."""
    path = RUN / "merges.json"
    if not path.exists():
        g, counts = Gen(1), Counter()
        for _ in range(12000):
            s = draw(g)
            counts.update(pretokenize(prompt_text(s["messages"], s.get("tools")) + reply_text(s, g.chance(0.25))))
        pieces = Counter({p: n for p, n in counts.items() if n > 1})
        path.write_text(json.dumps(train_merges(pieces, VOCAB - 256 - len(SPECIALS))))
    return Tokenizer(json.loads(path.read_text()))


def restore(tokenizer):
    """Model, optimizer and progress: from the last checkpoint when there is one."""
    torch.manual_seed(1)
    model = Model(Config(vocab=len(tokenizer)))
    optimizer, state = Optimizer(model), {"step": 0, "chunk": 0, "seconds": 0.0, "tokens": 0}
    if (RUN / "checkpoint.pt").exists():
        saved = torch.load(RUN / "checkpoint.pt")
        model.load_state_dict(saved["model"])
        optimizer.load(saved["optimizer"])
        state = saved["state"]
    return model, optimizer, state


def save(model, optimizer, state):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state(), "state": state}, RUN / "checkpoint.tmp")
    (RUN / "checkpoint.tmp").replace(RUN / "checkpoint.pt")
