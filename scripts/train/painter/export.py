"""Exports the trained painter to models/hearth-painter-3m: `python3 scripts/train/painter/export.py`.

The folder has the layout of a StableDiffusionPipeline exported to ONNX: text encoder, UNet, VAE decoder, scheduler, tokenizer.
"""
import argparse
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import torch  # noqa: E402
import torch.nn as nn  # noqa: E402
import torch.nn.functional as F  # noqa: E402

from clip_tokens import LENGTH, Tokenizer  # noqa: E402
from model import DEEP, TEXT, WIDE, Painter  # noqa: E402
from train import HERE, load_autoencoder  # noqa: E402
from layers import fold_norms  # noqa: E402
from onnx_files import MODELS, write_graph, write_json, write_manifest  # noqa: E402
from training import load_averaged  # noqa: E402

FOLDER = MODELS / "hearth-painter-3m"
SCALING = 0.18215  # a pipeline divides latents by it before it decodes them
STEPS, GUIDANCE = 20, 3


class TextGraph(nn.Module):
    def __init__(self, text):
        super().__init__()
        self.text = text

    def forward(self, ids):
        states = self.text(ids)
        return states, states[:, 0]


class DecoderGraph(nn.Module):
    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, latents):
        return F.pixel_shuffle(self.decoder(latents * SCALING), 4).clamp(-1, 1)


def load_painter(folder, tokenizer):
    """Returns the painter of a run with averaged weights."""
    model = Painter(tokenizer).to(memory_format=torch.channels_last)
    print(load_averaged(model, folder))
    return model.eval().requires_grad_(False)


def write_graphs(model, decoder, folder):
    plain = lambda module: module.to(memory_format=torch.contiguous_format)
    one = {0: "batch_size"}
    write_graph(plain(TextGraph(model.text)), torch.tensor([[1, 2] + [model.text.end] * (LENGTH - 2)]), folder / "text_encoder" / "model.onnx",
                ["input_ids"], ["last_hidden_state", "pooler_output"], {"input_ids": one, "last_hidden_state": one, "pooler_output": one})
    write_graph(plain(model.unet), (torch.zeros(2, 4, 16, 16), torch.tensor([999]), torch.zeros(2, LENGTH, TEXT)), folder / "unet" / "model.onnx",
                ["sample", "timestep", "encoder_hidden_states"], ["out_sample"], {"sample": one, "encoder_hidden_states": one, "out_sample": one})
    write_graph(plain(DecoderGraph(decoder)), torch.zeros(1, 4, 16, 16), folder / "vae_decoder" / "model.onnx",
                ["latent_sample"], ["sample"], {"latent_sample": one, "sample": one})


def write_settings(tokenizer, folder):
    part = ["diffusers", "OnnxRuntimeModel"]
    write_json(folder / "model_index.json", {
        "_class_name": "StableDiffusionPipeline", "scheduler": ["diffusers", "DDIMScheduler"], "tokenizer": ["transformers", "CLIPTokenizer"],
        "text_encoder": part, "unet": part, "vae_decoder": part, "safety_checker": [None, None], "feature_extractor": [None, None]})
    write_json(folder / "scheduler" / "scheduler_config.json", {
        "_class_name": "DDIMScheduler", "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "num_train_timesteps": 1000,
        "prediction_type": "v_prediction", "timestep_spacing": "trailing", "set_alpha_to_one": True, "steps_offset": 0, "clip_sample": False})
    write_json(folder / "text_encoder" / "config.json", {"_class_name": "CLIPTextModel", "hidden_size": TEXT, "max_position_embeddings": LENGTH, "vocab_size": len(tokenizer.vocab)})
    write_json(folder / "unet" / "config.json", {
        "_class_name": "UNet2DConditionModel", "in_channels": 4, "out_channels": 4, "sample_size": 16, "cross_attention_dim": TEXT,
        "block_out_channels": [WIDE, DEEP], "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D"], "up_block_types": ["CrossAttnUpBlock2D", "UpBlock2D"]})
    write_json(folder / "vae_decoder" / "config.json", {
        "_class_name": "AutoencoderKL", "latent_channels": 4, "sample_size": 128, "scaling_factor": SCALING, "block_out_channels": [64, 64, 96, 96]})
    vocab, merges = tokenizer.files()
    write_json(folder / "tokenizer" / "vocab.json", vocab)
    (folder / "tokenizer" / "merges.txt").write_text(merges, encoding="utf-8")
    special = {"bos_token": "<|startoftext|>", "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>", "pad_token": "<|endoftext|>"}
    write_json(folder / "tokenizer" / "special_tokens_map.json", special)
    write_json(folder / "tokenizer" / "tokenizer_config.json", {"tokenizer_class": "CLIPTokenizer", "model_max_length": LENGTH, "do_lower_case": True, **special})


FILES = ["model_index.json", "scheduler/scheduler_config.json", "tokenizer/vocab.json", "tokenizer/merges.txt", "tokenizer/special_tokens_map.json",
         "tokenizer/tokenizer_config.json", "text_encoder/config.json", "text_encoder/model.onnx", "unet/config.json", "unet/model.onnx",
         "vae_decoder/config.json", "vae_decoder/model.onnx"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", default=str(HERE / ".run" / "unet"))
    parser.add_argument("--autoencoder", default=str(HERE / ".run" / "autoencoder"))
    parser.add_argument("--out", type=Path, default=FOLDER)
    args = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = Tokenizer()
    model, decoder = load_painter(args.run, tokenizer), load_autoencoder(args.autoencoder).decoder
    fold_norms(model)
    fold_norms(decoder)
    write_graphs(model, decoder, args.out)
    write_settings(tokenizer, args.out)
    write_manifest(args.out, "model_index.json", FILES, {
        "aliases": ["hearth-painter"], "kind": "image", "name": "Hearth Painter 3M", "family": "stable-diffusion", "version": "1.1.0",
        "contextTokens": LENGTH, "inputModalities": ["text"], "outputModalities": ["image"], "drawing": {"steps": STEPS, "guidanceScale": GUIDANCE},
        "prices": {"promptTextTokenTicks": 0, "cachedPromptTextTokenTicks": 0, "completionTextTokenTicks": 0, "imageTicks": 2_000_000},
        "madeBy": "scripts/train/painter, from generated pictures only, on one CPU thread"})


if __name__ == "__main__":
    main()
