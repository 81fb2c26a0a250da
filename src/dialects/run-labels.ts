/** What a request says of itself, for usage reports: fields that do not change the answer. Pure. */
import { z } from "zod";
import type { RequestLabels } from "../core/requests/labels.js";

const labelCharsMax = 512;

/** A text that names a user or a group of requests. */
export const labelField = z
  .string()
  .max(labelCharsMax, `must be at most ${labelCharsMax} characters long`)
  .nullish();

/** A text that groups the prompts of a team in the cache. Like a label, it does not change the answer; it is not stored with the run. */
export const cacheKeyField = labelField.describe(
  "A hint for the cache: a new prompt prefers to overwrite a prompt of its team with the same key. A prompt that continues another " +
    "one is found without it.",
);

/** Service tiers of the hosted API. There is one here, and answers name it: `default`. */
export const serviceTierField = z
  .enum(["auto", "default", "flex", "scale", "priority"])
  .nullish()
  .describe("Has no effect: the answer's tier is `default`.");

interface LabelFields {
  readonly user?: string | null;
  readonly safety_identifier?: string | null;
  readonly metadata?: Readonly<Record<string, string>> | null;
}

/** Returns what a request says of itself; undefined when that is nothing. */
export function readRunLabels({
  user,
  safety_identifier: safety,
  metadata,
}: LabelFields): RequestLabels | undefined {
  const pairs = Object.keys(metadata ?? {}).length === 0 ? null : metadata;
  if (user == null && safety == null && pairs == null) return undefined;
  return {
    user: user ?? undefined,
    safety_identifier: safety ?? undefined,
    metadata: pairs ?? undefined,
  };
}
