/**
 * The supported families of vision models, by `model_type` of their config.json. The code of a family is imported only when a model of it
 * is opened.
 */
import type { OpenVisionModel } from "./family.js";

interface Family {
  readonly load: () => Promise<OpenVisionModel>;
  /** The graphs that it opens, by the names of their files without the number type. */
  readonly graphs: readonly string[];
}

const chatGraphs = ["embed_tokens", "vision_encoder", "decoder_model_merged"];

const families: Readonly<Record<string, Family>> = {
  "vision-encoder-decoder": {
    load: async () => (await import("./families/image-to-text.js")).openImageToText,
    graphs: ["encoder_model", "decoder_model_merged"],
  },
  idefics3: { load: async () => (await import("./families/vision-chat.js")).openIdefics, graphs: chatGraphs },
  smolvlm: { load: async () => (await import("./families/vision-chat.js")).openIdefics, graphs: chatGraphs },
  florence2: {
    load: async () => (await import("./families/florence2.js")).openFlorence,
    graphs: [...chatGraphs, "encoder_model"],
  },
  moondream1: {
    load: async () => (await import("./families/moondream.js")).openMoondream,
    graphs: chatGraphs,
  },
  qwen2_vl: { load: async () => (await import("./families/vision-chat.js")).openQwen, graphs: chatGraphs },
};

export const visionFamilies: readonly string[] = Object.keys(families);

/** Returns the graphs that a model needs, by the names of their files without the number type; empty when the family is unknown. */
export function visionGraphs(modelType: string): readonly string[] {
  return familyOf(modelType)?.graphs ?? [];
}

/** Imports a family and returns its function to open models. @throws Error when the family is unknown. */
export function loadFamily(modelType: string): Promise<OpenVisionModel> {
  const family = familyOf(modelType);
  if (family === undefined) throw new Error(`unknown model family '${modelType}'`);
  return family.load();
}

function familyOf(modelType: string): Family | undefined {
  return Object.hasOwn(families, modelType) ? families[modelType] : undefined;
}
