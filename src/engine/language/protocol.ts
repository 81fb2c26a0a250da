/** The calls to the thread of text models that need vocabulary and template alone: the same for each engine that runs a model. */
import type { InputSource } from "../../core/embeddings/request.js";
import type { Conversation, MediaReading, NativeModelInfo, Prompt } from "../../core/engine.js";
import type { RawPrompt } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import type { PackedTokens } from "./packed-tokens.js";

/** What the thread reports of a loaded model. Its call and its reasoning are absent for a model that writes none. */
export interface TextModelInfo extends NativeModelInfo {
  /** No text of n bytes has fewer than n / longestTokenBytes tokens. Chat models only. */
  readonly longestTokenBytes?: number;
  readonly templateRepairs: readonly string[];
  /** Whether the grammar of its tool calls expresses the whole schema of the arguments. */
  readonly callsAreExact: boolean;
  /** Absent for models that generate nothing. */
  readonly vocabularyTokens?: number;
  /** The media that it reads itself; absent: none. */
  readonly reads?: MediaReading | undefined;
  /** Why the projector beside the model is not used; absent: it is, or there is none. */
  readonly projectorProblem?: string | undefined;
  /** Length of its vectors; 0 for a chat model, 1 for a rerank model. */
  readonly dimensions: number;
}

/** `key` is the load key of a loaded model. */
export type LanguageRequest =
  | { readonly type: "load"; readonly model: Model }
  | { readonly type: "unload"; readonly model: Model }
  | { readonly type: "prompt"; readonly key: string; readonly source: Conversation | RawPrompt }
  | { readonly type: "tokenize"; readonly key: string; readonly text: string }
  | { readonly type: "inputs"; readonly key: string; readonly source: InputSource };

/** Results by the type of the request. */
export interface LanguageReplies {
  readonly load: TextModelInfo;
  readonly unload: void;
  readonly prompt: Prompt;
  readonly tokenize: PackedTokens;
  readonly inputs: readonly Uint32Array[];
}
