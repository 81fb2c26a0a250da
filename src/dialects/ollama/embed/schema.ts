/** Schemas of the requests of POST /api/embed and POST /api/embeddings. `null` means absent; other fields are ignored. */
import { z } from "zod";
import { modelFields } from "../fields.js";
import { boundedArray, optionalInteger } from "../../request-fields.js";

const inputsMax = 2048;
const dimensionsMax = 65_536;

export const ollamaEmbedRequestSchema = z
  .object({
    ...modelFields,
    input: z.union([z.string(), boundedArray(z.string(), inputsMax)]).describe("A text, or several."),
    truncate: z.boolean().nullish().meta({
      default: true,
      description:
        "Whether the end of a text that is longer than the model's context is left out; else it is refused.",
    }),
    dimensions: optionalInteger(1, dimensionsMax).describe("Length of the vectors: their end is cut off."),
  })
  .meta({ id: "OllamaEmbedRequest" });

export const ollamaEmbeddingsRequestSchema = z
  .object({ ...modelFields, prompt: z.string() })
  .meta({ id: "OllamaEmbeddingsRequest" });
