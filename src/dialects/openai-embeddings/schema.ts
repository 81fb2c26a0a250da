/**
 * Schema of the request of POST /v1/embeddings, with the fields of OpenAI and xAI. `null` means absent for every optional field. Other
 * fields do not change the vectors and are ignored.
 */
import { z } from "zod";
import { invalidValue } from "../field-error.js";
import { boundedArray, modelIdField, optionalInteger, requiredInteger } from "../request-fields.js";
import { labelField } from "../run-labels.js";

/** As at OpenAI. */
const inputsMax = 2048;
/** As at OpenAI, in all inputs together. To check an id takes time, in which no other request is served. */
const tokenIdsMax = 300_000;
const dimensionsMax = 65_536;
const tokenIdMax = 2 ** 31 - 1;

const text = z.string().min(1, "must not be empty");
const tokenIds = boundedArray(requiredInteger(0, tokenIdMax), tokenIdsMax).refine(
  (ids) => ids.length > 0,
  "must not be empty",
);
const notEmpty = (inputs: readonly unknown[]): boolean => inputs.length > 0;

const texts = boundedArray(text, inputsMax).refine(notEmpty, "must not be empty");
const tokenIdArrays = boundedArray(tokenIds, inputsMax).refine(notEmpty, "must not be empty");

export const embeddingRequestSchema = z
  .object({
    model: modelIdField,
    input: z
      .union([text, texts, tokenIds, tokenIdArrays])
      .describe(
        `A text, up to ${inputsMax} texts, the token ids of a text, or up to ${inputsMax} arrays of token ids, ` +
          `${tokenIdsMax} in all. Token ids are read as they are: the model's marks at the beginning and end of a text are not added.`,
      ),
    encoding_format: z
      .enum(["float", "base64"])
      .nullish()
      .meta({ default: "float", description: "`base64`: 32-bit floats, little-endian." }),
    dimensions: optionalInteger(1, dimensionsMax).describe(
      "Length of the vectors: their end is cut off, and what is left is scaled to length 1. Meaningful for models that are trained for it.",
    ),
    user: labelField.describe("The end user; spend is counted by it."),
  })
  .meta({ id: "EmbeddingRequest" });

const withTexts = embeddingRequestSchema.extend({ input: texts });
const withTokenIds = embeddingRequestSchema.extend({ input: tokenIds });
const withTokenIdArrays = embeddingRequestSchema.extend({ input: tokenIdArrays });

/**
 * Returns the schema for the kind of input that the first element shows, so that an error is about that kind.
 * @throws HearthError `invalid_value` for too many token ids.
 */
export function schemaFor(body: unknown) {
  const input: unknown = typeof body === "object" && body !== null && "input" in body ? body.input : null;
  if (!Array.isArray(input)) return embeddingRequestSchema;
  const first: unknown = input[0];
  if (typeof first === "number") return withTokenIds;
  if (!Array.isArray(first)) return withTexts;
  const ids = input.reduce<number>((sum, each) => sum + (Array.isArray(each) ? each.length : 0), 0);
  if (ids > tokenIdsMax) throw invalidValue("input", `must hold at most ${tokenIdsMax} token ids in all`);
  return withTokenIdArrays;
}
