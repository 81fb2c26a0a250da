import { formatDuration, type LimitStatus, type LimitStatuses } from "../core/limits.js";
import type { ErrorDialect } from "./error-body.js";

/**
 * Returns the rate limit headers of a dialect. A kind that has no limit has no headers.
 * @param now milliseconds since the epoch.
 */
export function rateLimitHeaders(
  standings: LimitStatuses,
  dialect: ErrorDialect,
  now: number,
): Readonly<Record<string, string>> {
  const entries = (Object.keys(standings) as (keyof LimitStatuses)[]).flatMap((kind) => {
    const standing = standings[kind];
    return standing === null ? [] : Object.entries(formatters[dialect](kind, standing, now));
  });
  return Object.fromEntries(entries);
}

type HeaderFormatter = (
  kind: keyof LimitStatuses,
  standing: LimitStatus,
  now: number,
) => Readonly<Record<string, string>>;

const openaiHeaders: HeaderFormatter = (kind, { limit, remaining, resetMs }) => ({
  [`x-ratelimit-limit-${kind}`]: String(limit),
  [`x-ratelimit-remaining-${kind}`]: String(remaining),
  [`x-ratelimit-reset-${kind}`]: formatDuration(resetMs),
});

const formatters: Readonly<Record<ErrorDialect, HeaderFormatter>> = {
  openai: openaiHeaders,
  // Ollama has no such headers.
  ollama: openaiHeaders,
  anthropic: (kind, { limit, remaining, resetMs }, now) => ({
    [`anthropic-ratelimit-${kind}-limit`]: String(limit),
    [`anthropic-ratelimit-${kind}-remaining`]: String(remaining),
    [`anthropic-ratelimit-${kind}-reset`]: new Date(now + resetMs).toISOString(),
  }),
  // Management endpoints have no rate limits.
  management: () => ({}),
};
