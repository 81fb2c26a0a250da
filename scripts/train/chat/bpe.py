"""Byte-level BPE, written to agree with llama.cpp's `gpt2` model and `qwen2` pre-tokeniser.

Three parts: `pretokenize` splits text into pieces as the qwen2 regular expression does (one digit per
piece, words with their leading space, punctuation with trailing newlines); `train_merges` learns merges
from piece counts; `Tokenizer` encodes and decodes. Token order in the vocabulary: 256 byte tokens, then
one token per merge, then the special tokens, so a token's id is also its merge rank.
"""
import re
import unicodedata
from collections import Counter, defaultdict

CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
USER_DEFINED = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
SPECIALS = CONTROL + USER_DEFINED
SPACES = set("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}
CONTRACTION = re.compile(r"'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])")
# The expression itself, where all text is ASCII: much faster than the walk below.
ASCII_PIECE = re.compile(r"'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]"
                         r"| ?[^\sA-Za-z0-9]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+", re.ASCII)


def byte_alphabet():
    """GPT-2's printable stand-in for each of the 256 bytes, as {byte: character}."""
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {b: chr(b) for b in keep}
    for b in range(256):
        if b not in table:
            table[b] = chr(256 + len(table) - len(keep))
    return table


BYTE_TO_CHAR = byte_alphabet()
CHAR_TO_BYTE = {c: b for b, c in BYTE_TO_CHAR.items()}


def kind(ch):
    """L letter, N number, S white space, P anything else."""
    if ch in SPACES:
        return "S"
    cat = unicodedata.category(ch)[0]
    return cat if cat in "LN" else "P"


def run_end(kinds, i, wanted):
    while i < len(kinds) and kinds[i] == wanted:
        i += 1
    return i


def next_piece(text, kinds, i):
    """End of the piece which starts at i: the alternatives of the qwen2 expression, in order."""
    n, k = len(text), kinds[i]
    if text[i] == "'" and (m := CONTRACTION.match(text, i)):
        return m.end()
    if k == "L":
        return run_end(kinds, i, "L")
    if k != "N" and text[i] not in "\r\n" and i + 1 < n and kinds[i + 1] == "L":
        return run_end(kinds, i + 1, "L")
    if k == "N":
        return i + 1
    start = i + 1 if text[i] == " " else i
    if start < n and kinds[start] == "P":
        end = run_end(kinds, start, "P")
        while end < n and text[end] in "\r\n":
            end += 1
        return end
    end = run_end(kinds, i, "S")
    for j in range(end - 1, i - 1, -1):
        if text[j] in "\r\n":
            return j + 1
    if end < n and end - i > 1:
        return end - 1
    return end


def pretokenize(text):
    if text.isascii():
        return ASCII_PIECE.findall(text)
    kinds = [kind(c) for c in text]
    pieces, i = [], 0
    while i < len(text):
        end = next_piece(text, kinds, i)
        pieces.append(text[i:end])
        i = end
    return pieces


def to_chars(piece):
    return "".join(BYTE_TO_CHAR[b] for b in piece.encode("utf-8"))


def merge_word(word, pair, joined):
    out, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and word[i] == pair[0] and word[i + 1] == pair[1]:
            out.append(joined)
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


def train_merges(piece_counts, n_merges):
    """Greedy BPE: the most frequent pair first, ties by text, so the result is deterministic."""
    words = [list(to_chars(p)) for p in piece_counts]
    freqs = list(piece_counts.values())
    pairs, where = Counter(), defaultdict(set)
    for w, word in enumerate(words):
        for pair in zip(word, word[1:]):
            pairs[pair] += freqs[w]
            where[pair].add(w)
    merges, seen = [], set()
    while len(merges) < n_merges:
        pair = max(pairs, key=lambda p: (pairs[p], p))
        joined = pair[0] + pair[1]
        for w in list(where[pair]):
            for p in zip(words[w], words[w][1:]):
                pairs[p] -= freqs[w]
            words[w] = merge_word(words[w], pair, joined)
            for p in zip(words[w], words[w][1:]):
                pairs[p] += freqs[w]
                where[p].add(w)
        del pairs[pair]
        if joined not in seen:
            seen.add(joined)
            merges.append(list(pair))
    return merges


class Tokenizer:
    def __init__(self, merges):
        self.merges = [tuple(m) for m in merges]
        self.ranks = {m: i for i, m in enumerate(self.merges)}
        base = [BYTE_TO_CHAR[b] for b in sorted(BYTE_TO_CHAR)]
        self.tokens = base + [a + b for a, b in self.merges] + SPECIALS
        self.ids = {t: i for i, t in enumerate(self.tokens)}
        self.first_special = len(self.tokens) - len(SPECIALS)
        self.types = [1] * self.first_special + [3] * len(CONTROL) + [4] * len(USER_DEFINED)
        self.cache = {}
        self.split_all = re.compile("(" + "|".join(map(re.escape, SPECIALS)) + ")")
        self.split_user = re.compile("(" + "|".join(map(re.escape, USER_DEFINED)) + ")")

    def __len__(self):
        return len(self.tokens)

    def size(self, token):
        """How many bytes of text a token is."""
        return len(self.tokens[token])

    def encode_piece(self, piece):
        if piece in self.cache:
            return self.cache[piece]
        word = list(to_chars(piece))
        while len(word) > 1:
            best = min(zip(word, word[1:]), key=lambda p: self.ranks.get(p, 1 << 30))
            if best not in self.ranks:
                break
            word = merge_word(word, best, best[0] + best[1])
        ids = [self.ids[t] for t in word]
        if len(self.cache) < 200_000:
            self.cache[piece] = ids
        return ids

    def encode(self, text, specials=True):
        """Like llama.cpp: user-defined tokens are always recognised, control tokens only on request."""
        out, cache = [], self.cache
        for i, part in enumerate((self.split_all if specials else self.split_user).split(text)):
            if i % 2:
                out.append(self.ids[part])
            elif part:
                for piece in pretokenize(part):
                    out += cache.get(piece) or self.encode_piece(piece)
        return out

    def encode_written(self, text):
        """What a person wrote, as the server reads it: split after its first character, no special text is a token."""
        out = []
        for i, part in enumerate(self.split_all.split(text)):
            out += self.encode_plain(part[:1]) + self.encode_plain(part[1:]) if i % 2 else self.encode_plain(part)
        return out

    def encode_plain(self, text):
        return [t for piece in pretokenize(text) for t in self.encode_piece(piece)]

    def decode(self, ids):
        out = bytearray()
        for i in ids:
            text = self.tokens[i]
            out += text.encode() if i >= self.first_special else bytes(CHAR_TO_BYTE[c] for c in text)
        return out.decode("utf-8", "replace")
