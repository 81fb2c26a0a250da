/** What a route may fail with: which rows of the error table, and what the document says of their statuses. Pure. */
import type { ErrorKind } from "../../core/errors.js";
import { errorCodes, type ErrorDialect } from "../../dialects/error-body.js";
import type { Route } from "../route.js";

/** The statuses of errors that a route may answer with, in ascending order. */
export function failureStatuses(route: Route): readonly number[] {
  const { docs, guard, errors } = route;
  const kinds: readonly ErrorKind[] = [
    ...always,
    ...(guard === "none" ? [] : keyed),
    ...(guard === "api-key" ? limited : []),
    ...(docs.query === undefined ? [] : choosing),
    ...(route.path.includes(":") || route.path.includes("*") ? finding : []),
    ...(docs.body === undefined ? [] : reading),
    ...(docs.errors ?? []),
  ];
  return [...errorCodes(errors, kinds).keys()].toSorted((a, b) => a - b);
}

/** One sentence, and the codes by which machines tell the reasons apart. */
export function failureDescription(status: number, dialect: ErrorDialect): string {
  const codes = errorCodes(dialect).get(status) ?? [];
  const label = dialect === "anthropic" ? "Type" : "Code";
  return `${sentences[status] ?? "It failed."} ${label}: ${codes.map((code) => `\`${code}\``).join(", ")}.`;
}

/** By name, the components that describe the headers of failures that say when to come again. */
export function failureHeaders(status: number, dialect: ErrorDialect): Readonly<Record<string, string>> {
  if (status === 503 || status === 529) return { "retry-after": "RetryAfter" };
  if (status !== 429) return {};
  const told = {
    "retry-after": "RetryAfter",
    "retry-after-ms": "RetryAfterMs",
    "x-should-retry": "ShouldRetry",
  };
  return { ...told, ...limitHeaders[dialect] };
}

const limitHeaders: Readonly<Record<ErrorDialect, Readonly<Record<string, string>>>> = {
  openai: Object.fromEntries(
    ["requests", "tokens"].flatMap((kind) => [
      [`x-ratelimit-limit-${kind}`, "RateLimit"],
      [`x-ratelimit-remaining-${kind}`, "RateLimitRemaining"],
      [`x-ratelimit-reset-${kind}`, "RateLimitReset"],
    ]),
  ),
  anthropic: Object.fromEntries(
    ["requests", "tokens"].flatMap((kind) => [
      [`anthropic-ratelimit-${kind}-limit`, "RateLimit"],
      [`anthropic-ratelimit-${kind}-remaining`, "RateLimitRemaining"],
      [`anthropic-ratelimit-${kind}-reset`, "RateLimitResetTime"],
    ]),
  ),
  management: {},
};

/** The host that is asked for is not this server, or the server is closing. */
const always: readonly ErrorKind[] = ["permission_denied", "overloaded", "internal"];
const keyed: readonly ErrorKind[] = ["unauthenticated", "bad_credential", "permission_denied"];
/** A key has limits, and so has what a team asks of a model. */
const limited: readonly ErrorKind[] = ["rate_limited"];
const choosing: readonly ErrorKind[] = ["invalid_field", "invalid_value"];
const finding: readonly ErrorKind[] = ["invalid_value", "not_found", "model_not_found"];
const reading: readonly ErrorKind[] = [
  "malformed",
  "invalid_field",
  "invalid_value",
  "context_length_exceeded",
  "model_not_found",
  "body_too_large",
  "unsupported_media_type",
  "model_unavailable",
  "invalid_output",
];

const sentences: Readonly<Record<number, string>> = {
  400: "The request cannot be read, or asks for what this server does not do.",
  401: "There is no key, or none that this server knows.",
  402: "The team has not enough credit.",
  403: "The key may not do this, or the team has not enough credit.",
  404: "It does not exist, or the key may not see it.",
  409: "It is not in a state for this.",
  413: "The body is too large.",
  415: "The body is not JSON, or there is none.",
  422: "A field is missing or of the wrong type.",
  429: "More was asked than a limit leaves; what is left of it is told on every answer.",
  500: "The server failed.",
  503: "The server cannot take this now.",
  529: "The server cannot take this now.",
};
