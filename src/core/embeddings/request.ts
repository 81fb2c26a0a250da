/** Requests for embeddings and reranking. */
import type { RequestLabels } from "../requests/labels.js";

/** A text, or the token ids of one, exactly as the model reads them. */
export type EmbeddingInput = string | readonly number[];

/**
 * What a model reads: inputs that are embedded; pairs of a query and a document that are scored; or a query and documents that are
 * embedded, each by itself, the query first.
 */
export type InputSource =
  | {
      readonly type: "inputs";
      readonly inputs: readonly EmbeddingInput[];
      /** Whether the end of an input that is too long is left out; absent: it is refused. */
      readonly truncates?: boolean | undefined;
    }
  | { readonly type: "pairs" | "separate"; readonly query: string; readonly documents: readonly string[] };

export interface EmbeddingRequest {
  /** An id or an alias. */
  readonly model: string;
  readonly inputs: readonly EmbeddingInput[];
  /** Length of the returned vectors; null = the model's. */
  readonly dimensions: number | null;
  /** Whether the end of an input that is too long is left out; absent: it is refused. */
  readonly truncates?: boolean;
  /** Spend is counted by them. */
  readonly labels?: RequestLabels;
}

export interface RerankRequest {
  /** An id or an alias. */
  readonly model: string;
  readonly query: string;
  readonly documents: readonly string[];
}
