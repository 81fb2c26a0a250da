/** Rule 15: words that a newcomer would stumble over. */
import { sourceFiles } from "./source-files.js";

/** Lines that may have such a word, because they speak of a person who tells or wishes. */
export const privateWordsMax = 20;

/** Metaphors and old words that once stood for parts of the program and for what it does. */
const words = /\b(street|easel|deed|undertaking|wish(es)?|whoever|seer|told|tells)\b/i;

/** What the built-in models are trained and asked on is everyday language. */
const everydayLanguage = /^scripts\/(train\/chat|eval-builtin)/;

/** Lines of src/ and scripts/ with one of the words, as `path:line: text`. */
export function privateWords(root: string): string[] {
  return ["src", "scripts"]
    .flatMap((folder) => sourceFiles(root, folder, /\.(ts|mjs|js|css|py|md|json|yaml)$/))
    .filter(({ path }) => !everydayLanguage.test(path))
    .flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) => (words.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
}
