/**
 * The kind of an error. dialects/error-body.ts maps kinds to HTTP statuses and to the types and codes of each dialect. The
 * `message` of an error is public; internal details belong in its `cause`.
 */
export type ErrorKind =
  | "malformed" // the request is not readable at all (bad JSON, bad URL)
  | "invalid_field" // a field is missing or has the wrong type
  | "invalid_value" // a field's value is out of range or unsupported
  | "context_length_exceeded"
  | "unauthenticated" // no credential was presented
  | "bad_credential" // a credential was presented and is not known
  | "permission_denied"
  | "no_credits" // the team cannot pay the maximum cost
  | "budget_exceeded" // a budget of the key, its member or its team does not cover the maximum cost
  | "not_found"
  | "model_not_found"
  | "method_not_allowed"
  | "unsupported_media_type"
  | "body_too_large"
  | "request_timeout"
  | "expectation_failed" // an `Expect` header that is not supported
  | "rate_limited"
  | "overloaded" // queue full, shutting down
  | "model_unavailable" // the model exists but cannot be loaded
  | "dependency_failed" // a server that the request names does not answer as it must
  | "invalid_output" // the model's output does not have the requested format
  | "conflict"
  | "cancelled" // the operator has ended the run
  | "internal";

/** Why a prompt does not fit. */
export interface PromptSizes {
  /** The longest prompt. */
  readonly tokensMax: number;
  /** What the request contains, or at least so many. */
  readonly requestedTokens: number;
}

export interface ErrorDetails {
  /** For `context_length_exceeded`, if both numbers are known. */
  readonly promptSizes?: PromptSizes | null;
  /** Name of the model that does not exist. */
  readonly missingModel?: string;
  /** Dotted path of the offending request field, such as `messages.0.content`. */
  readonly param?: string | null;
  /** Machine-readable code if it differs from the kind's default. */
  readonly code?: string | null;
  /** Seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number;
  /** The same in milliseconds, if it is known exactly. */
  readonly retryAfterMs?: number;
  /** Whether clients are instructed to retry; absent = they decide themselves. */
  readonly shouldRetry?: boolean;
  /** Methods of the `Allow` header of a 405. */
  readonly allow?: readonly string[];
  /** The internal cause: logged, never sent. */
  readonly cause?: unknown;
}

export class HearthError extends Error {
  readonly kind: ErrorKind;
  readonly promptSizes: PromptSizes | null;
  readonly missingModel: string | null;
  readonly param: string | null;
  readonly code: string | null;
  readonly retryAfterSeconds: number | null;
  readonly retryAfterMs: number | null;
  readonly shouldRetry: boolean | null;
  readonly allow: readonly string[];

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "HearthError";
    this.kind = kind;
    this.promptSizes = details.promptSizes ?? null;
    this.missingModel = details.missingModel ?? null;
    this.param = details.param ?? null;
    this.code = details.code ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.shouldRetry = details.shouldRetry ?? null;
    this.allow = details.allow ?? [];
  }
}

/** Returns the error of an answer of which more events wait than may. */
export function notRead(): HearthError {
  return new HearthError("internal", "The answer was not read in time.");
}

/** Returns a HearthError unchanged, and any other value as an `internal` error with the value as its cause. */
export function toHearthError(thrown: unknown): HearthError {
  if (thrown instanceof HearthError) return thrown;
  return new HearthError("internal", "An internal error occurred.", { cause: thrown });
}

/**
 * Returns the error for a model that does not exist.
 * @param closest names that the client may have meant, and may know.
 */
export function modelNotFound(name: string, closest: readonly string[] = []): HearthError {
  const shown = name.slice(0, 200);
  const sentence = `The model '${shown}' does not exist or your team has no access to it.`;
  const message = closest.length === 0 ? sentence : `${sentence} Did you mean ${alternatives(closest)}?`;
  return new HearthError("model_not_found", message, { param: "model", missingModel: shown });
}

/** Returns names as `'a', 'b' or 'c'`. */
function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}
