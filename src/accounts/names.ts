/** How names that identify something are compared: two that look the same are the same. */

/** Characters that show nothing: zero-width spaces and joiners, variation selectors, soft hyphens, tags. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Returns the form in which names are compared: Unicode-normalized (NFKC), without invisible characters, every run of white space one
 * space, and without differences of case.
 */
export function foldName(name: string): string {
  const visible = name.normalize("NFKC").replace(invisible, "");
  // Upper case first: letters that have the same one, such as ß and ss, fold to the same.
  const folded = visible.toUpperCase().toLowerCase().normalize("NFKC");
  return folded.replace(/\s+/gu, " ").trim();
}

/** Whether a name has the form of the id of an object: as a reference, it would be taken for one. */
export function looksLikeId(name: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(foldName(name));
}

/** Whether a text is written in its usual form: normalized (NFKC), and without invisible characters. */
export function isPlain(text: string): boolean {
  return text.normalize("NFKC") === text && text.replace(invisible, "") === text;
}
