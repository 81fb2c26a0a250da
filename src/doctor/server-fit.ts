/** Judges whether a model fits into the memory that models of a running server may take. */
import type { LlamaSettings } from "../engine/llama/protocol.js";
import { limitMemory } from "../engine/worker/machine.js";
import type { Model } from "../core/model.js";
import { imageModelBytes } from "../engine/images/engine.js";
import { memoryEstimate } from "../engine/llama/load/memory-estimate.js";
import { languageBytes } from "../engine/language/load/language-bytes.js";
import { visionModelBytes } from "../engine/vision/engine.js";
import { judgeFit, type ModelFit } from "../models/fit/verdict.js";

/** Returns a function that judges a model as the engine that loads it does, with the context that it is loaded with. */
export function serverFit(engine: LlamaSettings, memoryBytesMax: number): (model: Model) => ModelFit {
  const settings = { ...engine, contextTokensMax: Number.MAX_SAFE_INTEGER };
  const limitBytes = limitMemory(memoryBytesMax);
  const neededBytes = (model: Model, contextTokens: number): number => {
    const { manifest } = model;
    if (manifest.kind === "image") return imageModelBytes(model);
    if (manifest.kind === "vision") return visionModelBytes(model);
    return memoryEstimate({ ...model, manifest: { ...manifest, contextTokens } }, settings);
  };
  return (model) => {
    const { contextTokens } = model.manifest;
    if (model.remote !== undefined) return fitsElsewhere(model, limitBytes);
    const needs = (tokens: number): number => neededBytes(model, tokens);
    const fits = (bytes: number): boolean => bytes <= limitBytes;
    return { ...judgeFit({ contextTokens, fits, needs }), limitBytes };
  };
}

/** A model on a remote engine loads only its vocabulary here. */
function fitsElsewhere({ manifest }: Model, limitBytes: number): ModelFit {
  const { contextTokens, bytes } = manifest;
  const neededBytes = languageBytes(bytes);
  const fitting = { fittingTokens: contextTokens, fittingTokensSmallCache: contextTokens };
  return { verdict: "fits", neededBytes, ...fitting, limitBytes };
}
