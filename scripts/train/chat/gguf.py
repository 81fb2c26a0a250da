"""A GGUF v3 writer: metadata, tensor table, aligned data. Matrices are stored as Q8_0 (blocks of 32: one
float16 scale and 32 signed bytes), one-dimensional tensors as float32.
"""
import struct

import numpy as np

UINT32, FLOAT32, BOOL, STRING, ARRAY, INT32 = 4, 6, 7, 8, 9, 5
GGML_F32, GGML_Q8_0 = 0, 8
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


def q8_0(matrix):
    """Bytes of a float32 matrix as ggml's Q8_0."""
    blocks = matrix.astype(np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(1, keepdims=True) / 127
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    quants = np.rint(blocks * inverse).astype(np.int8)
    out = np.empty((len(blocks), 34), np.uint8)
    out[:, :2] = scale.astype(np.float16).view(np.uint8)
    out[:, 2:] = quants.view(np.uint8)
    return out.tobytes()


def q8_0_round_trip(matrix):
    """The matrix as the engine will see it after quantisation."""
    raw = np.frombuffer(q8_0(matrix), np.uint8).reshape(-1, 34)
    scale = raw[:, :2].copy().view(np.float16).astype(np.float32)
    return (scale * raw[:, 2:].view(np.int8).astype(np.float32)).reshape(matrix.shape)


def metadata(cfg, tokenizer, template, name):
    a = "qwen3."
    ids = tokenizer.ids
    return [
        ("general.architecture", STRING, "qwen3"), ("general.type", STRING, "model"), ("general.name", STRING, name),
        ("general.license", STRING, "apache-2.0"), ("general.file_type", UINT32, 7),
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
        array = tensor.float().numpy()
        kind = GGML_Q8_0 if array.ndim == 2 else GGML_F32
        blob = padded(q8_0(array) if kind == GGML_Q8_0 else array.astype("<f4").tobytes())
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
