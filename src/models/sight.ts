/** Which model describes the images in conversations, and what that makes of the others. */
import type { Model } from "../core/model.js";
import { quoted } from "./gguf/refusal.js";

/**
 * The model that sees; null: none does.
 * @param named the id or alias that the operator chose; null: the largest that can be used.
 * @param warnings told why the one that was named cannot be it.
 */
export function seerAmong(
  models: ReadonlyMap<string, Model>,
  named: string | null,
  warnings: string[],
): Model | null {
  if (named === null) return largest([...new Set(models.values())].filter(canSee));
  const model = models.get(named);
  if (model !== undefined && canSee(model)) return model;
  warnings.push(`visionModel: ${quoted(named)} is no model that can describe images; images are refused.`);
  return null;
}

/** Where there is a model that sees, every chat model takes images: it is told what is on them. */
export function withSight(model: Model, seer: Model | null): Model {
  const { manifest } = model;
  if (seer === null || manifest.kind !== "chat" || manifest.inputModalities.includes("image")) return model;
  return { ...model, manifest: { ...manifest, inputModalities: [...manifest.inputModalities, "image"] } };
}

function canSee({ manifest, unusable }: Model): boolean {
  return manifest.kind === "vision" && unusable === null;
}

function largest(models: readonly Model[]): Model | null {
  return models.toSorted((a, b) => b.manifest.bytes - a.manifest.bytes)[0] ?? null;
}
