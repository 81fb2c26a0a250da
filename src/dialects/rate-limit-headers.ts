import { spanText, type Standing, type Standings } from "../core/limits.js";
import type { ErrorDialect } from "./error-body.js";

/**
 * What is left of the limits, in the headers that a dialect's clients read; of a kind that is not limited there are none.
 * @param now milliseconds since the epoch.
 */
export function rateLimitHeaders(
  standings: Standings,
  dialect: ErrorDialect,
  now: number,
): Readonly<Record<string, string>> {
  const told = (Object.keys(standings) as (keyof Standings)[]).flatMap((kind) => {
    const standing = standings[kind];
    return standing === null ? [] : Object.entries(headersOf[dialect](kind, standing, now));
  });
  return Object.fromEntries(told);
}

type Told = (kind: keyof Standings, standing: Standing, now: number) => Readonly<Record<string, string>>;

const headersOf: Readonly<Record<ErrorDialect, Told>> = {
  openai: (kind, { limit, remaining, resetMs }) => ({
    [`x-ratelimit-limit-${kind}`]: String(limit),
    [`x-ratelimit-remaining-${kind}`]: String(remaining),
    [`x-ratelimit-reset-${kind}`]: spanText(resetMs),
  }),
  anthropic: (kind, { limit, remaining, resetMs }, now) => ({
    [`anthropic-ratelimit-${kind}-limit`]: String(limit),
    [`anthropic-ratelimit-${kind}-remaining`]: String(remaining),
    [`anthropic-ratelimit-${kind}-reset`]: new Date(now + resetMs).toISOString(),
  }),
  // No route of the management plane is limited.
  management: () => ({}),
};
