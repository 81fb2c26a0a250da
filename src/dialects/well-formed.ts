/** The text without half surrogate pairs: such a half is no character, and has no bytes in UTF-8. */
export function wellFormed(value: string): string {
  return value.replace(/\p{Surrogate}/gu, "\uFFFD");
}
