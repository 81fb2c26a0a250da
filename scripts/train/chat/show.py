"""`python3 scripts/train/chat/show.py SKILL [N]` prints N samples of a skill; without a skill, all skills and how long one sample takes."""
import importlib
import inspect
import sys
import time
from pathlib import Path

from texts.pools import Gen


def skills():
    """Every public function of the modules in skills/ that takes only `g`, by name."""
    out = {}
    for path in sorted((Path(__file__).resolve().parent / "skills").glob("*.py")):
        module = importlib.import_module(f"skills.{path.stem}")
        for name, f in inspect.getmembers(module, inspect.isfunction):
            if f.__module__ == module.__name__ and f.__doc__ and required(f) == ["g"]:
                out[name] = f
    return out


def required(f):
    return [p.name for p in inspect.signature(f).parameters.values() if p.default is p.empty]


def show(sample):
    for message in sample.get("history", []):
        print(f"  {message['role']:>9}: {message['content']}")
    print(f"       user: {sample['user']}\n    thought: {sample['thought']}\n      reply: {sample.get('reply')}\n")


def main():
    known = skills()
    if len(sys.argv) > 1:
        g = Gen(time.time_ns())
        for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 20):
            show(known[sys.argv[1]](g))
        return
    for name, f in known.items():
        g, start = Gen(1), time.perf_counter()
        first = f(g)
        if not isinstance(first, dict) or "user" not in first:
            continue
        texts = {f(g)["user"] for _ in range(2000)}
        print(f"{name:16} {(time.perf_counter() - start) / 2000 * 1e6:6.0f} microseconds, {len(texts)} different of 2000")


if __name__ == "__main__":
    main()
