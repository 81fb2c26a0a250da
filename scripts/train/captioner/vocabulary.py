"""Captions as tokens: a WordPiece vocabulary of the world's words, with single letters as pieces for texts."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shapes"))
from sentences import LETTERS, words  # noqa: E402

SPECIALS = ["[PAD]", "[UNK]", "[BOS]", "[EOS]"]
PAD, UNKNOWN, BEGIN, END = range(4)
SIGNS = LETTERS + "0123456789"
TOKENS = SPECIALS + words() + list(SIGNS) + ["##" + s for s in SIGNS]
IDS = {token: i for i, token in enumerate(TOKENS)}


def encode(caption):
    """Returns the ids with the begin and end tokens."""
    ids = [BEGIN]
    for word in caption.replace(",", " ,").split():
        ids += [IDS[word]] if word in IDS else [IDS[word[0]]] + [IDS["##" + s] for s in word[1:]]
    return ids + [END]


def decode(ids):
    """Returns the caption of ids, without special tokens."""
    return " ".join(TOKENS[i] for i in ids if i >= len(SPECIALS)).replace(" ##", "").replace(" ,", ",")


def tokenizer_json():
    """The content of tokenizer.json: WordPiece after a split at white space and punctuation."""
    special = lambda i: {"id": i, "content": SPECIALS[i], "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [special(i) for i in range(len(SPECIALS))],
        "normalizer": None, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 20, "vocab": IDS},
    }
