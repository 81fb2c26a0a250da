"""What a run leaves behind and finds again: the tokenizer's merges, the last checkpoint (.run/, ignored by git)."""
import json
from collections import Counter
from pathlib import Path

import torch

import gguf
from bpe import SPECIALS, Tokenizer, pretokenize, train_merges
from data import draw
from model import Config, Model
from optim import Optimizer
from texts.pools import Gen
from render import prompt_text, reply_text

HERE = Path(__file__).resolve().parent
RUN = HERE / ".run"
VOCAB = 2048
COPY_STEPS = 260  # of the copying phase, with which a training begins


def load_items(path):
    """The evaluation's items, one JSON object a line, as `npm run eval:builtin -- --write-items FILE` writes them."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


def load_tokenizer(run=RUN):
    """The tokenizer, trained on the first use in the folder `run` from twenty thousand training conversations."""
    path = Path(run) / "merges.json"
    if not path.exists():
        g, counts = Gen(1), Counter()
        for _ in range(20000):
            s = draw(g)
            counts.update(pretokenize(prompt_text(s["messages"], s.get("tools")) + reply_text(s, g.chance(0.25))))
        pieces = Counter({p: n for p, n in counts.items() if n > 1})
        path.write_text(json.dumps(train_merges(pieces, VOCAB - 256 - len(SPECIALS))))
    return Tokenizer(json.loads(path.read_text()))


def restore(run, tokenizer, device="cpu"):
    """Model, optimizer and progress: from the last checkpoint in the folder `run` when there is one."""
    torch.manual_seed(1)
    model = Model(Config(vocab=len(tokenizer))).to(device)
    optimizer, state = Optimizer(model), {"step": 0, "sitting": 0, "seconds": 0.0, "tokens": 0}
    if (run / "checkpoint.pt").exists():
        saved = torch.load(run / "checkpoint.pt", map_location=device)
        model.load_state_dict(saved["model"])
        for name, tensor in saved["optimizer"].items():
            optimizer.state[name].copy_(tensor)
        state = saved["state"]
    return model, optimizer, state


def save(run, model, optimizer, state):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state, "state": state}, run / "checkpoint.tmp")
    (run / "checkpoint.tmp").replace(run / "checkpoint.pt")


def begin_from(path, run):
    """Writes a first checkpoint into the folder `run` with the tokenizer and the weights of a published GGUF, for more training."""
    fields, tensors = gguf.read(Path(path))
    (run / "merges.json").write_text(json.dumps([m.split(" ") for m in fields["tokenizer.ggml.merges"]]))
    model, optimizer, state = restore(run, load_tokenizer(run))
    for name, weight in [("token_embd.weight", model.token_embd.data), *model.matrices()]:
        weight.copy_(torch.from_numpy(tensors[name]))
    save(run, model, optimizer, {**state, "step": COPY_STEPS})
