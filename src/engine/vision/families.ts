/**
 * The supported families of vision models, by `model_type` of their config.json. The code of a family is imported only when a model of it
 * is opened.
 */
import type { OpenVisionModel } from "./family.js";

/** What a model of a family needs beside the files of every vision model. */
interface VisionFiles {
  /** The graphs that it opens, by the names of their files without the number type. */
  readonly graphs: readonly string[];
  /** Names of other files. */
  readonly others: readonly string[];
}

interface Family extends VisionFiles {
  readonly load: () => Promise<OpenVisionModel>;
}

const chatGraphs = ["embed_tokens", "vision_encoder", "decoder_model_merged"];

const idefics: Family = {
  load: async () => (await import("./families/vision-chat.js")).openIdefics,
  graphs: chatGraphs,
  // It states how many tokens a tile of an image takes.
  others: ["processor_config.json"],
};

const families: Readonly<Record<string, Family>> = {
  "vision-encoder-decoder": {
    load: async () => (await import("./families/image-to-text.js")).openImageToText,
    graphs: ["encoder_model", "decoder_model_merged"],
    others: [],
  },
  idefics3: idefics,
  smolvlm: idefics,
  florence2: {
    load: async () => (await import("./families/florence2.js")).openFlorence,
    graphs: [...chatGraphs, "encoder_model"],
    others: [],
  },
  moondream1: {
    load: async () => (await import("./families/moondream.js")).openMoondream,
    graphs: chatGraphs,
    // Only this file states the token that ends an answer.
    others: ["generation_config.json"],
  },
  qwen2_vl: {
    load: async () => (await import("./families/vision-chat.js")).openQwen,
    graphs: chatGraphs,
    others: [],
  },
};

export const visionFamilies: readonly string[] = Object.keys(families);

/** Returns the files that a model needs; none when the family is unknown. */
export function visionFiles(modelType: string): VisionFiles {
  return findFamily(modelType) ?? { graphs: [], others: [] };
}

/** Imports a family and returns its function to open models. @throws Error when the family is unknown. */
export function loadFamily(modelType: string): Promise<OpenVisionModel> {
  const family = findFamily(modelType);
  if (family === undefined) throw new Error(`unknown model family '${modelType}'`);
  return family.load();
}

function findFamily(modelType: string): Family | undefined {
  return Object.hasOwn(families, modelType) ? families[modelType] : undefined;
}
