/**
 * Schema of the request of POST /v1/rerank, with the fields of Jina and Cohere. `null` means absent for every optional field. Other
 * fields do not change the order and are ignored.
 */
import { z } from "zod";
import { boundedArray, modelIdField, optionalInteger } from "../request-fields.js";

const documentsMax = 1000;
const text = z.string().min(1, "must not be empty");

export const rerankRequestSchema = z
  .object({
    model: modelIdField,
    query: text.describe("What the documents are compared with."),
    documents: boundedArray(z.union([text, z.object({ text })]), documentsMax)
      .refine((documents) => documents.length > 0, "must not be empty")
      .describe(`Up to ${documentsMax} texts, or objects with a \`text\`.`),
    top_n: optionalInteger(1, documentsMax).describe("Number of results. Default: all documents."),
    return_documents: z
      .boolean()
      .nullish()
      .meta({ default: false, description: "Whether results contain the text of their document." }),
  })
  .meta({ id: "RerankRequest" });
