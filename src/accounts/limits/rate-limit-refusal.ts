import { HearthError } from "../../core/errors.js";
import { formatDuration } from "../../core/limits.js";
import type { LimitName, Shortage } from "./quota-counter.js";

const units: Readonly<Record<LimitName, string>> = {
  qps: "requests per sec (RPS)",
  qpm: "requests per min (RPM)",
  tpm: "tokens per min (TPM)",
};

/** Returns the error for a request that exceeds a limit, in the words of the OpenAI API. */
export function rateLimited({ demand, used, waitMs }: Shortage): HearthError {
  const { quota, amount } = demand;
  const { subject, name, limit } = quota;
  if (waitMs === null)
    return new HearthError(
      "rate_limited",
      `Request too large for ${subject} on ${units[name]}: Limit ${limit}, Requested ${amount}. ` +
        "The input must be shorter; retrying does not help.",
      { shouldRetry: false },
    );
  return new HearthError(
    "rate_limited",
    `Rate limit reached for ${subject} on ${units[name]}: Limit ${limit}, Used ${used}, Requested ${amount}. ` +
      `Please try again in ${formatDuration(waitMs)}.`,
    { retryAfterMs: waitMs, shouldRetry: true },
  );
}
