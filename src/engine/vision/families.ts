/**
 * The model families that are served, by `model_type` of their config.json. A family is loaded by whoever opens a model of it: the
 * names alone cost nothing.
 */
import type { OpenSeer } from "./family.js";

const families: Readonly<Record<string, () => Promise<OpenSeer>>> = {
  "vision-encoder-decoder": async () => (await import("./families/image-to-text.js")).openImageToText,
  idefics3: async () => (await import("./families/asked.js")).openIdefics,
  smolvlm: async () => (await import("./families/asked.js")).openIdefics,
  florence2: async () => (await import("./families/florence2.js")).openFlorence,
  qwen2_vl: async () => (await import("./families/asked.js")).openQwen,
};

export const visionFamilies: readonly string[] = Object.keys(families);

/** @throws Error when there is no such family. */
export function openerOf(modelType: string): Promise<OpenSeer> {
  const load = Object.hasOwn(families, modelType) ? families[modelType] : undefined;
  if (load === undefined) throw new Error(`no family '${modelType}'`);
  return load();
}
