/** What a client says of a request, besides what it asks: the end user, and texts of the client's own. None of it changes the answer. */
export interface RequestLabels {
  readonly user?: string;
  readonly safety_identifier?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Returns the person behind a request; null when it does not say. */
export function readEndUser(labels: RequestLabels | undefined): string | null {
  const named = labels?.user ?? labels?.safety_identifier ?? "";
  return named === "" ? null : named;
}
