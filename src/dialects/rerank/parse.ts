/** Parses the request of POST /v1/rerank into a RerankRequest. Pure. */
import type { RerankRequest } from "../../core/embeddings/request.js";
import { validFields } from "../field-error.js";
import { wellFormed } from "../well-formed.js";
import { rerankRequestSchema } from "./schema.js";

interface ParsedRerankRequest {
  readonly request: RerankRequest;
  /** Number of results; null = all. */
  readonly resultsMax: number | null;
  readonly returnDocuments: boolean;
}

/** Parses a request body. @throws HearthError that names the first invalid field. */
export function parseRerankRequest(body: unknown): ParsedRerankRequest {
  const fields = validFields(rerankRequestSchema, body);
  const { model, query, documents } = fields;
  const texts = documents.map((document) =>
    wellFormed(typeof document === "string" ? document : document.text),
  );
  return {
    request: { model, query: wellFormed(query), documents: texts },
    resultsMax: fields.top_n ?? null,
    returnDocuments: fields.return_documents ?? false,
  };
}
