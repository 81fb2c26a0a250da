/** Parses the requests of POST /api/embed and POST /api/embeddings into an EmbeddingRequest. Pure. */
import type { EmbeddingRequest } from "../../../core/embeddings/request.js";
import { validFields } from "../../field-error.js";
import { parseKeepAlive } from "../fields.js";
import { wellFormed } from "../../well-formed.js";
import { ollamaEmbeddingsRequestSchema, ollamaEmbedRequestSchema } from "./schema.js";

export interface OllamaEmbedRequest {
  /** Without inputs there is nothing to embed. */
  readonly request: EmbeddingRequest & { readonly inputs: readonly string[] };
  readonly keepAliveMs: number | undefined;
}

/** Parses the body of POST /api/embed. @throws HearthError that names the field. */
export function parseOllamaEmbed(body: unknown): OllamaEmbedRequest {
  const fields = validFields(ollamaEmbedRequestSchema, body);
  const { model, input, dimensions, truncate, keep_alive } = fields;
  const inputs = [input].flat().map(wellFormed);
  const isEmpty = inputs.every((text) => text === "");
  return {
    request: {
      model,
      inputs: isEmpty ? [] : inputs,
      dimensions: dimensions ?? null,
      truncates: truncate ?? true,
    },
    keepAliveMs: parseKeepAlive(keep_alive),
  };
}

/** Parses the body of POST /api/embeddings. @throws HearthError that names the field. */
export function parseOllamaEmbeddings(body: unknown): OllamaEmbedRequest {
  const { model, prompt, keep_alive } = validFields(ollamaEmbeddingsRequestSchema, body);
  return {
    request: {
      model,
      inputs: prompt === "" ? [] : [wellFormed(prompt)],
      dimensions: null,
      truncates: true,
    },
    keepAliveMs: parseKeepAlive(keep_alive),
  };
}
