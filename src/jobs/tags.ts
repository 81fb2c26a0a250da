/** The tags of a request whose work is done later, as they are stored with its job. */
import type { Principal } from "../accounts/keys/api-key.js";
import { noLabels } from "../accounts/labels/spend-labels.js";

/** Returns a JSON array; null for no tags. */
export function tagsText(tags: readonly string[] = []): string | null {
  return tags.length === 0 ? null : JSON.stringify(tags);
}

export function readTags(text: string | null): readonly string[] {
  return text === null ? [] : (JSON.parse(text) as readonly string[]);
}

/** Returns the key of a job with the tags of its request. */
export function withTags(principal: Principal, tags: readonly string[]): Principal {
  return tags.length === 0 ? principal : { ...principal, labels: { ...noLabels, tags } };
}
