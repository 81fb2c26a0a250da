/**
 * The supported families of vision models, by `model_type` of their config.json. The code of a family is imported only when a model of it
 * is opened.
 */
import type { OpenVisionModel } from "./family.js";

const families: Readonly<Record<string, () => Promise<OpenVisionModel>>> = {
  "vision-encoder-decoder": async () => (await import("./families/image-to-text.js")).openImageToText,
  idefics3: async () => (await import("./families/vision-chat.js")).openIdefics,
  smolvlm: async () => (await import("./families/vision-chat.js")).openIdefics,
  florence2: async () => (await import("./families/florence2.js")).openFlorence,
  qwen2_vl: async () => (await import("./families/vision-chat.js")).openQwen,
};

export const visionFamilies: readonly string[] = Object.keys(families);

/** Imports a family and returns its function to open models. @throws Error when the family is unknown. */
export function loadFamily(modelType: string): Promise<OpenVisionModel> {
  const load = Object.hasOwn(families, modelType) ? families[modelType] : undefined;
  if (load === undefined) throw new Error(`unknown model family '${modelType}'`);
  return load();
}
