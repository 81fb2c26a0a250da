"""Exports the trained captioner to models/hearth-captioner-2m: `python3 scripts/train/captioner/export.py`.

The folder has the layout of VisionEncoderDecoder models for transformers.js (such as Xenova/vit-gpt2-image-captioning),
with one decoder graph that accepts an empty past.
"""
import argparse
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import torch  # noqa: E402
import torch.nn as nn  # noqa: E402
import torch.nn.functional as F  # noqa: E402

from model import CONTEXT, HEADS, LAYERS, SIDE, WIDTH, Captioner  # noqa: E402
from train import HERE, exact_rate  # noqa: E402
from vocabulary import BEGIN, END, PAD, SPECIALS, TOKENS, UNKNOWN, tokenizer_json  # noqa: E402
from layers import fold_norms  # noqa: E402
from onnx_files import MODELS, write_graph, write_json, write_manifest  # noqa: E402
from training import load_averaged  # noqa: E402

FOLDER = MODELS / "hearth-captioner-2m"
IDS = {"bos_token_id": BEGIN, "eos_token_id": END, "pad_token_id": PAD, "decoder_start_token_id": BEGIN}


class EncoderGraph(nn.Module):
    """pixel_values [n, 3, 96, 96] in -1..1 to last_hidden_state [n, 144, width]."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, pixels):
        return self.encoder(F.pixel_unshuffle(pixels, SIDE // 24))


class DecoderGraph(nn.Module):
    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, ids, image, *past):
        logits, presents = self.decoder(ids, image, [(past[2 * i], past[2 * i + 1]) for i in range(LAYERS)])
        return (logits, *[tensor for pair in presents for tensor in pair])


def write_graphs(model, folder):
    write_graph(EncoderGraph(model.encoder), torch.zeros(1, 3, SIDE, SIDE), folder / "onnx" / "encoder_model.onnx",
                ["pixel_values"], ["last_hidden_state"], {"pixel_values": {0: "batch_size"}, "last_hidden_state": {0: "batch_size"}})
    past = [f"past_key_values.{i}.{part}" for i in range(LAYERS) for part in ("key", "value")]
    present = [name.replace("past_key_values", "present") for name in past]
    axes = {"input_ids": {0: "batch_size", 1: "sequence_length"}, "encoder_hidden_states": {0: "batch_size", 1: "encoder_sequence_length"},
            "logits": {0: "batch_size", 1: "sequence_length"}}
    axes |= {name: {0: "batch_size", 2: "past_sequence_length"} for name in past}
    axes |= {name: {0: "batch_size", 2: "total_sequence_length"} for name in present}
    earlier = [torch.zeros(1, HEADS, 2, WIDTH // HEADS) for _ in past]
    write_graph(DecoderGraph(model.decoder), (torch.tensor([[BEGIN, 5]]), torch.zeros(1, 144, WIDTH), *earlier),
                folder / "onnx" / "decoder_model_merged.onnx", ["input_ids", "encoder_hidden_states", *past], ["logits", *present], axes)


def write_settings(folder):
    encoder = {"model_type": "vit", "architectures": ["ViTModel"], "hidden_size": WIDTH, "image_size": SIDE, "num_channels": 3, "patch_size": 8}
    decoder = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": LAYERS, "n_head": HEADS, "n_embd": WIDTH,
               "n_positions": CONTEXT, "vocab_size": len(TOKENS), "is_decoder": True, "add_cross_attention": True, **IDS}
    write_json(folder / "config.json", {"model_type": "vision-encoder-decoder", "architectures": ["VisionEncoderDecoderModel"],
                                        "is_encoder_decoder": True, "encoder": encoder, "decoder": decoder, **IDS})
    write_json(folder / "generation_config.json", {**IDS, "max_length": CONTEXT - 2})
    write_json(folder / "preprocessor_config.json", {
        "feature_extractor_type": "ViTFeatureExtractor", "image_processor_type": "ViTFeatureExtractor", "do_resize": True,
        "size": {"height": SIDE, "width": SIDE}, "resample": 1, "do_rescale": True, "rescale_factor": 1 / 255,
        "do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3})
    write_json(folder / "tokenizer.json", tokenizer_json())
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": CONTEXT, "clean_up_tokenization_spaces": True,
        "bos_token": SPECIALS[BEGIN], "eos_token": SPECIALS[END], "pad_token": SPECIALS[PAD], "unk_token": SPECIALS[UNKNOWN]})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", default=str(HERE / ".run"))
    parser.add_argument("--check", type=int, default=400, help="held-out pictures to caption before writing")
    parser.add_argument("--out", type=Path, default=FOLDER)
    args = parser.parse_args()
    torch.set_num_threads(1)
    model = Captioner(len(TOKENS)).to(memory_format=torch.channels_last)
    print(load_averaged(model, args.run))
    rate, misses = exact_rate(model, args.check)
    for truth, said in misses[:12]:
        print("  is  ", truth, "\n  said", said)
    print(f"exact on {args.check} held-out pictures: {100 * rate:.1f} %")
    model.eval()
    fold_norms(model)
    model = model.to(memory_format=torch.contiguous_format)
    write_graphs(model, args.out)
    write_settings(args.out)
    names = ["config.json", "generation_config.json", "preprocessor_config.json", "tokenizer.json", "tokenizer_config.json",
             "onnx/encoder_model.onnx", "onnx/decoder_model_merged.onnx"]
    write_manifest(args.out, "config.json", names, {
        "aliases": ["hearth-captioner"], "kind": "vision", "name": "Hearth Captioner 2M", "family": "vision-encoder-decoder", "version": "1.1.0",
        "contextTokens": CONTEXT, "inputModalities": ["image"], "outputModalities": ["text"],
        "prices": {"promptTextTokenTicks": 0, "cachedPromptTextTokenTicks": 0, "completionTextTokenTicks": 0},
        "madeBy": "scripts/train/captioner, from generated pictures only, on one CPU thread"})


if __name__ == "__main__":
    main()
