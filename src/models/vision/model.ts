/** Chooses the model that describes the images in conversations, and adds image input to the chat models. */
import type { Model } from "../../core/model.js";
import { quoted } from "../gguf/refusal.js";

/**
 * Returns the model that describes images, or null if there is none.
 * @param named the id or alias that the operator chose; null: the largest usable one
 * @param warnings receives a sentence if the named model cannot be used
 */
export function chooseVisionModel(
  models: ReadonlyMap<string, Model>,
  named: string | null,
  warnings: string[],
): Model | null {
  if (named === null) return largest([...new Set(models.values())].filter(canDescribeImages));
  const model = models.get(named);
  if (model !== undefined && canDescribeImages(model)) return model;
  warnings.push(`visionModel: ${quoted(named)} is no model that can describe images; images are refused.`);
  return null;
}

/** Returns the unusable model that is named, or else the largest unusable one; null if there is none. */
export function chooseUnusableVisionModel(
  models: ReadonlyMap<string, Model>,
  named: string | null,
): Model | null {
  const unusable = (model: Model): boolean => model.manifest.kind === "vision" && model.unusable !== null;
  if (named === null) return largest([...new Set(models.values())].filter(unusable));
  const model = models.get(named);
  return model !== undefined && unusable(model) ? model : null;
}

/**
 * Returns the model with image input added: with a vision model, every chat model accepts images, because it
 * receives their descriptions.
 */
export function withImageInput(model: Model, visionModel: Model | null): Model {
  const { manifest } = model;
  if (visionModel === null || manifest.kind !== "chat" || manifest.inputModalities.includes("image"))
    return model;
  return { ...model, manifest: { ...manifest, inputModalities: [...manifest.inputModalities, "image"] } };
}

function canDescribeImages({ manifest, unusable }: Model): boolean {
  return manifest.kind === "vision" && unusable === null;
}

function largest(models: readonly Model[]): Model | null {
  return models.toSorted((a, b) => b.manifest.bytes - a.manifest.bytes)[0] ?? null;
}
