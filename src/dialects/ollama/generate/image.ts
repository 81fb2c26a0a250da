/** Reads the request of POST /api/generate to an image model, and encodes its answer. Pure. */
import type { ImageGenerationRequest } from "../../../core/images/image-generation.js";
import { unsupported } from "../../field-error.js";
import { seed32 } from "../../generation/sampling.js";
import { lineFields, toNanoseconds, type OllamaIdentity } from "../answer.js";
import { joinShared } from "../options.js";
import type { OllamaGenerateAnswer } from "./response-schema.js";
import type { OllamaGenerateBody } from "./schema.js";

/** @throws HearthError that names a field which would change the image */
export function parseOllamaImage(fields: OllamaGenerateBody): ImageGenerationRequest {
  if ((fields.images ?? []).length > 0) throw unsupported("images", "images that are to be changed are");
  const { width, height } = fields;
  const [given] = [width, height].flatMap((side) => side || []);
  const seed = joinShared(fields, fields.options).fields.seed ?? -1;
  return {
    model: fields.model,
    prompt: fields.prompt ?? "",
    images: 1,
    size: given === undefined ? null : { width: width || given, height: height || given, ratioOnly: false },
    seed: seed < 0 ? null : seed32(seed),
    format: "png",
    quality: null,
    stored: false,
  };
}

/** Returns the only line of the answer. */
export function encodeOllamaImage(identity: OllamaIdentity, image: string): OllamaGenerateAnswer {
  return {
    ...lineFields(identity),
    response: "",
    image,
    done: true,
    done_reason: "stop",
    total_duration: toNanoseconds(identity.times().elapsedMs),
  };
}
