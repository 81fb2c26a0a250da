/** The error responses of a route: its rows of the error table, and their descriptions in the document. Pure. */
import type { ErrorKind } from "../../../core/errors.js";
import { errorCodes, type ErrorDialect } from "../../../dialects/error-body.js";
import type { Route, RouteErrors } from "../../server/route.js";

/** Returns the error statuses of a route, in ascending order. */
export function failureStatuses(route: Route): readonly number[] {
  const { docs, guard, errors } = route;
  const kinds: readonly ErrorKind[] = [
    ...everyRoute,
    ...(guard === "none" || guard === "page" ? [] : keyErrors),
    ...(guard === "api-key" ? limitErrors : []),
    ...(docs.query === undefined ? [] : queryErrors),
    ...(route.path.includes(":") || route.path.includes("*") ? lookupErrors : []),
    ...(docs.body === undefined && docs.form === undefined ? [] : bodyErrors),
    ...(docs.errors ?? []),
  ];
  const statuses = new Set(listDialects(errors).flatMap((dialect) => [...errorCodes(dialect, kinds).keys()]));
  return [...statuses].toSorted((a, b) => a - b);
}

/** Returns one sentence and the error codes of a status. */
export function failureDescription(status: number, errors: RouteErrors): string {
  const sentence = sentences[status] ?? "The request failed.";
  const label = codeLabels[errors];
  if (label === null) return sentence;
  const codes = listDialects(errors).flatMap((dialect) => errorCodes(dialect).get(status) ?? []);
  return `${sentence} ${label}: ${codes.map((code) => `\`${code}\``).join(", ")}.`;
}

/** Returns, by header name, the components for the headers that say when to retry. */
export function failureHeaders(status: number, errors: RouteErrors): Readonly<Record<string, string>> {
  if (status === 503 || status === 529) return { "retry-after": "RetryAfter" };
  if (status !== 429) return {};
  const retryHeaders = {
    "retry-after": "RetryAfter",
    "retry-after-ms": "RetryAfterMs",
    "x-should-retry": "ShouldRetry",
  };
  return Object.fromEntries([
    ...Object.entries(retryHeaders),
    ...listDialects(errors).flatMap((dialect) => Object.entries(limitHeaders[dialect])),
  ]);
}

/** What clients call the codes of errors; null: their errors have none. */
const codeLabels: Readonly<Record<RouteErrors, string | null>> = {
  openai: "Code",
  anthropic: "Type",
  either: "Code or type",
  management: "Code",
  ollama: null,
};

function listDialects(errors: RouteErrors): readonly ErrorDialect[] {
  return errors === "either" ? ["openai", "anthropic"] : [errors];
}

const openaiLimitHeaders = Object.fromEntries(
  ["requests", "tokens"].flatMap((kind) => [
    [`x-ratelimit-limit-${kind}`, "RateLimit"],
    [`x-ratelimit-remaining-${kind}`, "RateLimitRemaining"],
    [`x-ratelimit-reset-${kind}`, "RateLimitReset"],
  ]),
);

const limitHeaders: Readonly<Record<ErrorDialect, Readonly<Record<string, string>>>> = {
  openai: openaiLimitHeaders,
  ollama: openaiLimitHeaders,
  anthropic: Object.fromEntries(
    ["requests", "tokens"].flatMap((kind) => [
      [`anthropic-ratelimit-${kind}-limit`, "RateLimit"],
      [`anthropic-ratelimit-${kind}-remaining`, "RateLimitRemaining"],
      [`anthropic-ratelimit-${kind}-reset`, "RateLimitResetTime"],
    ]),
  ),
  management: {},
};

/** Errors of every route: HTTP is not followed, the host check fails, the server is closing, or it fails. */
const everyRoute: readonly ErrorKind[] = [
  "malformed",
  "expectation_failed",
  "permission_denied",
  "overloaded",
  "internal",
];
const keyErrors: readonly ErrorKind[] = ["unauthenticated", "bad_credential", "permission_denied"];
/** Errors of the rate limits of a key, and of a team on a model. */
const limitErrors: readonly ErrorKind[] = ["rate_limited"];
const queryErrors: readonly ErrorKind[] = ["invalid_field", "invalid_value"];
const lookupErrors: readonly ErrorKind[] = ["invalid_value", "not_found", "model_not_found"];
const bodyErrors: readonly ErrorKind[] = [
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
  400: "The request is invalid, or requires something that this server does not support.",
  401: "The key is missing or unknown.",
  402: "The team does not have enough credit.",
  403: "The key does not have permission, or the team does not have enough credit.",
  404: "The object does not exist, or the key may not access it.",
  409: "The state of the object does not allow the request.",
  413: "The body is too large.",
  415: "The body is missing or not JSON.",
  417: "The `Expect` header is not supported.",
  422: "A field is missing or has the wrong type.",
  424: "A server that the request names does not answer as it must.",
  429: "A rate limit is exceeded; every response reports the remainder in its headers.",
  500: "The server failed.",
  503: "The server cannot accept the request at present.",
  529: "The server cannot accept the request at present.",
};
