/** Parses the request of POST /v1/embeddings into an EmbeddingRequest. Pure. */
import type { EmbeddingInput, EmbeddingRequest } from "../../core/embeddings/request.js";
import { validFields } from "../field-error.js";
import { readRunLabels } from "../run-labels.js";
import { wellFormed } from "../well-formed.js";
import type { VectorFormat } from "./encode.js";
import { schemaFor } from "./schema.js";

interface ParsedEmbeddingRequest {
  readonly request: EmbeddingRequest;
  readonly format: VectorFormat;
}

/** Parses a request body. @throws HearthError that names the first invalid field. */
export function parseEmbeddingRequest(body: unknown): ParsedEmbeddingRequest {
  const { model, input, encoding_format: format, dimensions, user } = validFields(schemaFor(body), body);
  return {
    request: {
      model,
      inputs: toInputs(input),
      dimensions: dimensions ?? null,
      labels: readRunLabels({ user }),
    },
    format: format ?? "float",
  };
}

function toInputs(
  input: string | readonly (string | number | readonly number[])[],
): readonly EmbeddingInput[] {
  if (typeof input === "string") return [wellFormed(input)];
  const ids = input.filter((each) => typeof each === "number");
  if (ids.length > 0) return [ids];
  return input.flatMap((each) =>
    typeof each === "number" ? [] : [typeof each === "string" ? wellFormed(each) : each],
  );
}
