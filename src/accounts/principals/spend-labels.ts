/** Tags and end users: what spend is counted by besides keys, members and teams. */

/** A tag groups requests of any key; an end user is the person behind a request of a client. */
export type LabelKind = "tag" | "user";

export interface SpendLabels {
  /** Read from the header `x-hearth-tags`. */
  readonly tags: readonly string[];
  /** Pairs of the request's metadata: tags such as `project:atlas`. */
  readonly metadata: readonly string[];
  readonly endUser: string | null;
}

export const noLabels: SpendLabels = { tags: [], metadata: [], endUser: null };

/** Characters of a tag. Longer pairs of metadata are no tags. */
export const tagCharsMax = 128;

/** Characters of the name of an end user. */
export const endUserCharsMax = 512;

/** Returns the id by which budgets name a label; ids of keys, members and teams have no colon. */
export function labelSubject(kind: LabelKind, label: string): string {
  return `${kind}:${label}`;
}

/** Returns the ids of all labels, each once. */
export function labelSubjects({ tags, metadata, endUser }: SpendLabels): readonly string[] {
  const all = [...tags, ...metadata].map((tag) => labelSubject("tag", tag));
  return [...new Set([...all, ...(endUser === null ? [] : [labelSubject("user", endUser)])])];
}
