/** The tags of a request whose work is done later, as they are stored with its job. */
import type { Principal } from "../accounts/principals/api-key.js";
import { noLabels } from "../accounts/principals/spend-labels.js";

/** Returns the tags as a column has them: null for none. */
export function storedTags(tags: readonly string[] = []): readonly string[] | null {
  return tags.length === 0 ? null : tags;
}

/** Returns the key of a job with the tags of its request. */
export function withTags(principal: Principal, tags: readonly string[]): Principal {
  return tags.length === 0 ? principal : { ...principal, labels: { ...noLabels, tags } };
}
