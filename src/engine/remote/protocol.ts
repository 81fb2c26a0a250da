/** What the parts of remote engines have in common: where a request goes, and the segments that an answer is generated in. */
import type { Sampling, StatedSampling } from "../../core/generation.js";
import type { TokenCandidate } from "../language/answer/sampled-token.js";
import type { SeededJob } from "../language/seeded-job.js";

/** The programs that models can run in. */
export type RemoteKind = TokenKind | "openai";

/** Those that take and return tokens; the others take texts. */
export type TokenKind = "llama-server" | "vllm" | "sglang";

/** One server that runs a model, and what of it a generation may use. */
export interface RemoteTarget {
  readonly kind: TokenKind;
  /** Without a slash at its end. */
  readonly url: string;
  readonly apiKey: string | null;
  /** Headers of a trace, which the server may continue; absent: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the server calls the model. */
  readonly modelName: string;
  /** Where a server has numbered slots, the one to use; null: the server chooses. */
  readonly slot: number | null;
  /** Whether it may continue on what it has evaluated before. */
  readonly reusesPrefixes: boolean;
  /** Keeps the prefixes of teams apart, where a server can; the same for all generations of a team. */
  readonly salt: string;
}

/** One streamed request: tokens are sampled after the prompt, under one grammar or none. */
export interface Segment {
  readonly target: RemoteTarget;
  /** The prompt and the answer so far. */
  readonly tokens: readonly number[];
  /** How many of them are the answer. */
  readonly answerTokens: number;
  /** GBNF; null: the text is free. */
  readonly grammar: string | null;
  readonly sampling: Sampling;
  /** What is stated of the sampling: the server decides the rest. */
  readonly stated: StatedSampling;
  /** 32-bit unsigned, another for each segment. */
  readonly seed: number;
  /** Added to the logits of tokens. */
  readonly logitBias: ReadonlyMap<number, number>;
  /** Alternatives to report for each token; null: no log probabilities. */
  readonly topLogprobs: number | null;
  /** Tokens to sample, at most. */
  readonly tokensMax: number;
  /** The token that ends an answer, and others that do. */
  readonly endTokens: readonly number[];
}

export interface SegmentToken {
  readonly id: number;
  /** The most likely tokens at its place, most likely first, and the token itself; null where they were not requested. */
  readonly candidates: readonly TokenCandidate[] | null;
}

export type SegmentEvent =
  /** The prompt is about to be evaluated, or has been. */
  | { readonly type: "started"; readonly cachedTokens: number }
  /** More of the prompt is evaluated. */
  | { readonly type: "progress" }
  | { readonly type: "tokens"; readonly tokens: readonly SegmentToken[] }
  | { readonly type: "end"; readonly reason: SegmentEnd };

/**
 * `stop`: the model has ended its answer. `length`: the segment has as many tokens as it may have. `cut`: it ended before, and another
 * one goes on. `split`: the tokens after the last one end inside of a character, where no grammar can begin; the segment is to be longer.
 */
export type SegmentEnd = "stop" | "length" | "cut" | "split";

/** What a server says of itself. */
export interface ServerProperties {
  /** Tokens of prompt and answer together; null where it does not say. */
  readonly contextTokens: number | null;
  /** Requests at a time; null where it does not say. */
  readonly slots: number | null;
  /** Requests that it runs or has waiting, of whatever client; null where it does not say. */
  readonly requests: number | null;
}

/** Speaks with servers of one kind. */
export interface RemoteClient {
  /** Tokens that one segment may sample at most under these settings, so that it samples as they say. */
  segmentTokensMax(sampling: Sampling): number;
  /**
   * Samples tokens. Returning from the iteration ends the request at the server.
   * @throws HearthError `model_unavailable`; with the code `engine_unreachable` where another server may answer.
   */
  stream(segment: Segment, signal: AbortSignal): AsyncGenerator<SegmentEvent, void, undefined>;
}

/** What a generation has found out, when it has ended. */
export interface RemoteReport {
  /** The sampled tokens that the server holds, in order. */
  readonly answer: Uint32Array;
  /** Prompt tokens that the server had evaluated before. */
  readonly cachedTokens: number;
}

/** Generates on one server; its news are events. `key` is the load key of a loaded model. */
export interface RemoteRequest {
  readonly type: "generate-remote";
  readonly key: string;
  readonly decode: SeededJob;
  readonly target: RemoteTarget;
}

/** Results by the type of the request. */
export interface RemoteReplies {
  readonly "generate-remote": RemoteReport;
}
