/**
 * What can go wrong, as the whole house speaks of it. A kind says what happened; dialects/error-body.ts alone knows which
 * status and wire words it becomes. `message` is public text; whatever must stay inside travels in `cause`.
 */
export type ErrorKind =
  | "malformed" // the request is not readable at all (bad JSON, bad URL)
  | "invalid_field" // a field is missing or has the wrong type
  | "invalid_value" // a field's value is out of range or unsupported
  | "context_length_exceeded"
  | "unauthenticated" // no credential was presented
  | "bad_credential" // a credential was presented and is not known
  | "permission_denied"
  | "no_credits" // the team has not what this may cost
  | "not_found"
  | "model_not_found"
  | "method_not_allowed"
  | "unsupported_media_type"
  | "body_too_large"
  | "request_timeout"
  | "rate_limited"
  | "overloaded" // queue full, shutting down
  | "model_unavailable" // the model exists but cannot be loaded
  | "invalid_output" // what the model wrote is not what the request asked for
  | "conflict"
  | "internal";

export interface ErrorDetails {
  /** Dotted path of the offending request field, such as `messages.0.content`. */
  readonly param?: string;
  /** Machine-readable code where it differs from the kind's own. */
  readonly code?: string;
  /** Seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number;
  /** The same in milliseconds, where it is known that exactly. */
  readonly retryAfterMs?: number;
  /** Whether clients are told to ask again, or not to; left out, they use their own judgement. */
  readonly shouldRetry?: boolean;
  /** Methods of the `Allow` header of a 405. */
  readonly allow?: readonly string[];
  /** What really happened: logged, never sent. */
  readonly cause?: unknown;
}

export class HearthError extends Error {
  readonly kind: ErrorKind;
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
    this.param = details.param ?? null;
    this.code = details.code ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.shouldRetry = details.shouldRetry ?? null;
    this.allow = details.allow ?? [];
  }
}

/** Any thrown value as a HearthError: itself, or `internal` with the value as its cause. */
export function asHearthError(thrown: unknown): HearthError {
  if (thrown instanceof HearthError) return thrown;
  return new HearthError("internal", "An internal error occurred.", { cause: thrown });
}

/** The one answer to a model that does not exist and to one the asker may not see (house rule 16). */
export function modelNotFound(name: string): HearthError {
  const shown = name.slice(0, 200);
  return new HearthError(
    "model_not_found",
    `The model '${shown}' does not exist or your team has no access to it.`,
    {
      param: "model",
    },
  );
}
