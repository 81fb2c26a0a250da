/** Schemas of the requests for stored chat completions. */
import { z } from "zod";
import { metadataField, pageLimitField } from "../../request-fields.js";

export const completionUpdateSchema = z
  .object({ metadata: metadataField.nullable().describe("Replaces all pairs; `null` removes them.") })
  .meta({ id: "ChatCompletionUpdate" });

const pageFields = {
  limit: pageLimitField,
  order: z.enum(["asc", "desc"]).nullish().describe("By time; `asc` unless it is stated."),
  after: z.string().nullish(),
};

export const messagesQuerySchema = z.object(pageFields);

export const completionsQuerySchema = z.object({
  ...pageFields,
  model: z.string().nullish(),
  "metadata[key]": z
    .string()
    .optional()
    .describe("Only completions that have this pair; for any key, up to 16 times."),
});
