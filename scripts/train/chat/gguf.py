"""GGUF v3, written and read: metadata, tensor table, aligned data. Matrices are stored in blocks of 32 with one float16
scale: the embeddings as Q8_0 (32 signed bytes), the others as Q5_0 (32 numbers of five bits); one-dimensional tensors as float32.
"""
import struct
from math import prod

import numpy as np

UINT32, FLOAT32, BOOL, STRING, ARRAY, INT32 = 4, 6, 7, 8, 9, 5
GGML_F32, GGML_Q5_0, GGML_Q8_0 = 0, 6, 8
ALIGNMENT = 32


def text(value):
    raw = value.encode("utf-8")
    return struct.pack("<Q", len(raw)) + raw


def scalar(kind, value):
    if kind == STRING:
        return text(value)
    return struct.pack({UINT32: "<I", INT32: "<i", FLOAT32: "<f", BOOL: "<?"}[kind], value)


def field(key, kind, value):
    """One metadata entry; kind (ARRAY, element kind) for arrays."""
    if isinstance(kind, tuple):
        head = struct.pack("<IIQ", ARRAY, kind[1], len(value))
        return text(key) + head + b"".join(scalar(kind[1], v) for v in value)
    return text(key) + struct.pack("<I", kind) + scalar(kind, value)


def kind_of(name, array):
    """How a tensor is stored."""
    return GGML_F32 if array.ndim == 1 else GGML_Q8_0 if name.startswith("token_embd") else GGML_Q5_0


def q8_0(matrix):
    """Bytes of a float32 matrix as ggml's Q8_0."""
    blocks = matrix.reshape(-1, 32)
    scale = np.abs(blocks).max(1, keepdims=True) / 127
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    quants = np.rint(blocks * inverse).astype(np.int8)
    out = np.empty((len(blocks), 34), np.uint8)
    out[:, :2] = scale.astype(np.float16).view(np.uint8)
    out[:, 2:] = quants.view(np.uint8)
    return out.tobytes()


def from_q8_0(data):
    """The blocks [n, 32] of such bytes."""
    raw = np.frombuffer(data, np.uint8).reshape(-1, 34)
    return raw[:, :2].copy().view(np.float16).astype(np.float32) * raw[:, 2:].view(np.int8).astype(np.float32)


def q5_0(matrix):
    """Bytes of a float32 matrix as ggml's Q5_0: the largest of a block becomes -16 scales. Low bits of the first and the second half of
    the block share bytes, the fifth bits stand before them."""
    blocks = matrix.reshape(-1, 32)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(1)[:, None], 1)
    scale = largest / -16
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale != 0)
    quants = np.clip(blocks * inverse + 16.5, 0, 31).astype(np.uint8)
    out = np.empty((len(blocks), 22), np.uint8)
    out[:, :2] = scale.astype(np.float16).view(np.uint8)
    out[:, 2:6] = np.packbits(quants >> 4, axis=1, bitorder="little")
    out[:, 6:] = (quants[:, :16] & 15) | (quants[:, 16:] << 4)
    return out.tobytes()


def from_q5_0(data):
    """The blocks [n, 32] of such bytes."""
    raw = np.frombuffer(data, np.uint8).reshape(-1, 22)
    low = np.concatenate([raw[:, 6:] & 15, raw[:, 6:] >> 4], 1)
    quants = low | np.unpackbits(raw[:, 2:6], axis=1, bitorder="little") << 4
    return raw[:, :2].copy().view(np.float16).astype(np.float32) * (quants.astype(np.float32) - 16)


# Each kind: the bytes of 32 numbers, the conversion to it, the conversion back.
KINDS = {
    GGML_F32: (128, lambda array: array.astype("<f4").tobytes(), lambda data: np.frombuffer(data, "<f4")),
    GGML_Q5_0: (22, q5_0, from_q5_0),
    GGML_Q8_0: (34, q8_0, from_q8_0),
}


def round_trip(name, array):
    """A float32 tensor as the engine will see it after it was stored."""
    _, there, back = KINDS[kind_of(name, array)]
    return back(there(np.ascontiguousarray(array))).reshape(array.shape)


def metadata(cfg, tokenizer, template, name):
    a = "qwen3."
    ids = tokenizer.ids
    return [
        ("general.architecture", STRING, "qwen3"), ("general.type", STRING, "model"), ("general.name", STRING, name),
        ("general.license", STRING, "apache-2.0"), ("general.file_type", UINT32, 8),
        ("general.quantization_version", UINT32, 2), ("general.alignment", UINT32, ALIGNMENT),
        (a + "block_count", UINT32, cfg.layers), (a + "context_length", UINT32, cfg.context),
        (a + "embedding_length", UINT32, cfg.dim), (a + "feed_forward_length", UINT32, cfg.ff),
        (a + "attention.head_count", UINT32, cfg.heads), (a + "attention.head_count_kv", UINT32, cfg.heads),
        (a + "attention.key_length", UINT32, cfg.head_dim), (a + "attention.value_length", UINT32, cfg.head_dim),
        (a + "attention.layer_norm_rms_epsilon", FLOAT32, cfg.eps), (a + "rope.freq_base", FLOAT32, cfg.rope_base),
        (a + "vocab_size", UINT32, cfg.vocab),
        ("tokenizer.ggml.model", STRING, "gpt2"), ("tokenizer.ggml.pre", STRING, "qwen2"),
        ("tokenizer.ggml.tokens", (ARRAY, STRING), tokenizer.tokens),
        ("tokenizer.ggml.token_type", (ARRAY, INT32), tokenizer.types),
        ("tokenizer.ggml.merges", (ARRAY, STRING), [f"{x} {y}" for x, y in tokenizer.merges]),
        ("tokenizer.ggml.eos_token_id", UINT32, ids["<|im_end|>"]),
        ("tokenizer.ggml.eot_token_id", UINT32, ids["<|im_end|>"]),
        ("tokenizer.ggml.padding_token_id", UINT32, ids["<|endoftext|>"]),
        ("tokenizer.ggml.bos_token_id", UINT32, ids["<|endoftext|>"]),
        ("tokenizer.ggml.add_bos_token", BOOL, False),
        ("tokenizer.chat_template", STRING, template),
    ]


def padded(raw):
    return raw + b"\0" * (-len(raw) % ALIGNMENT)


def write(path, model, tokenizer, template, name):
    """Write the whole model; returns its size in bytes."""
    fields = metadata(model.cfg, tokenizer, template, name)
    table, blobs, offset = [], [], 0
    for tensor_name, tensor in model.tensors():
        array = tensor.float().cpu().numpy()
        kind = kind_of(tensor_name, array)
        blob = padded(KINDS[kind][1](np.ascontiguousarray(array)))
        dims = array.shape[::-1]
        table.append(text(tensor_name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, offset))
        blobs.append(blob)
        offset += len(blob)
    head = struct.pack("<IIQQ", 0x46554747, 3, len(table), len(fields))
    head += b"".join(field(*f) for f in fields) + b"".join(table)
    data = padded(head) + b"".join(blobs)
    with open(path, "wb") as out:
        out.write(data)
    return len(data)


class Reader:
    """Takes what `write` wrote from its bytes, from the front."""

    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.raw, self.at)
        self.at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def text(self):
        size = self.take("Q")
        self.at += size
        return self.raw[self.at - size:self.at].decode("utf-8")

    def value(self, kind):
        if kind == STRING:
            return self.text()
        if kind == ARRAY:
            of, count = self.take("IQ")
            return [self.value(of) for _ in range(count)]
        return self.take({UINT32: "I", INT32: "i", FLOAT32: "f", BOOL: "?"}[kind])


def read(path):
    """(metadata, {name: float32 array}) of a file that `write` wrote."""
    reader = Reader(path.read_bytes())
    magic, version, tensors, fields = reader.take("IIQQ")
    assert (magic, version) == (0x46554747, 3), path
    found = {reader.text(): reader.value(reader.take("I")) for _ in range(fields)}
    table = []
    for _ in range(tensors):
        name, count = reader.text(), reader.take("I")
        shape = [reader.take("Q") for _ in range(count)][::-1]
        table.append((name, shape, *reader.take("IQ")))
    start = reader.at + -reader.at % ALIGNMENT
    out = {}
    for name, shape, kind, offset in table:
        block_bytes, _, back = KINDS[kind]
        data = reader.raw[start + offset:start + offset + prod(shape) // 32 * block_bytes]
        out[name] = back(data).reshape(shape)
    return found, out
