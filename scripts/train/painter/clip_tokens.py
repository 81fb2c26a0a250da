"""Prompts as tokens, the way CLIP's tokenizer does it: lower case, byte-level BPE with `</w>` at a word's end.

The merges make every word of the world one token; any other text becomes pieces or letters.
"""
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shapes"))
from sentences import words  # noqa: E402

LENGTH = 64
OTHER_WORDS = """draw paint show me picture image please one big huge little tiny center middle corner side ground left right above
below to of with photo painting drawing simple colored an shape shapes grey""".split()
PIECES = re.compile(r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d|(?:[^\s\w]|_)+")


def byte_signs():
    """GPT-2's printable character for each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in plain]
    return {**{b: chr(b) for b in plain}, **{b: chr(256 + i) for i, b in enumerate(others)}}


def make_merges():
    """Merges until each word is one piece: always the pair that most words contain."""
    held = {w: [*w[:-1], w[-1] + "</w>"] for w in sorted({*filter(str.isalpha, words()), *OTHER_WORDS})}
    merges = []
    while True:
        pairs = Counter(p for pieces in held.values() for p in zip(pieces, pieces[1:]))
        if not pairs:
            return merges
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(best)
        held = {w: merged(pieces, best) for w, pieces in held.items()}


def merged(pieces, pair):
    out, i = [], 0
    while i < len(pieces):
        if tuple(pieces[i:i + 2]) == pair:
            out.append(pieces[i] + pieces[i + 1])
            i += 2
        else:
            out.append(pieces[i])
            i += 1
    return out


class Tokenizer:
    def __init__(self):
        self.signs = byte_signs()
        self.merges = make_merges()
        self.ranks = {pair: i for i, pair in enumerate(self.merges)}
        alphabet = list(self.signs.values())
        tokens = alphabet + [s + "</w>" for s in alphabet] + ["".join(m) for m in self.merges]
        self.vocab = {t: i for i, t in enumerate([*tokens, "<|startoftext|>", "<|endoftext|>"])}
        self.begin, self.end = self.vocab["<|startoftext|>"], self.vocab["<|endoftext|>"]
        self.cache = {}

    def word(self, text):
        """Returns the ids of one word."""
        if text not in self.cache:
            pieces = [self.signs[b] for b in text.encode()]
            pieces[-1] += "</w>"
            while len(pieces) > 1:
                best = min(zip(pieces, pieces[1:]), key=lambda p: self.ranks.get(p, 1e9))
                if best not in self.ranks:
                    break
                pieces = merged(pieces, best)
            self.cache[text] = [self.vocab[p] for p in pieces]
        return self.cache[text]

    def encode(self, text):
        """Exactly LENGTH ids: begin, the text, end, padded with the end."""
        ids = [i for w in PIECES.findall(" ".join(text.lower().split())) for i in self.word(w)]
        ids = [self.begin, *ids[:LENGTH - 2], self.end]
        return ids + [self.end] * (LENGTH - len(ids))

    def files(self):
        """vocab.json's content and merges.txt."""
        return self.vocab, "#version: 0.2\n" + "\n".join(" ".join(m) for m in self.merges) + "\n"
