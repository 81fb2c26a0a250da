/** Replaces unpaired surrogates: they are not characters and cannot be encoded in UTF-8. */
export function wellFormed(value: string): string {
  return value.replace(/\p{Surrogate}/gu, "\uFFFD");
}
