/** Words that files and their names must not have. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sourceFiles, type SourceFile } from "./source-files.js";

const ending = /\.(tsx?|mjs|js|css|py|md|json|yaml)$/;

/** Files whose comments are read. */
const commented = /\.(tsx?|mjs|js|css|c|h|cpp|sql|py|yaml)$/;

/** Metaphors and old words that once stood for parts of the program and for what it does. */
const privateWords = /\b(street|easel|deed|undertaking|wish(es)?|whoever|seer|told|tells)\b/i;
/** What makes a sentence hard to read. Good ones begin with the subject, name a noun before its clause, and repeat a noun. */
const bookish =
  /\b([wW]hom|[fF]or ever|(is|are) looked at|[wW]here there is none|([tT]hat|[tT]hose) of|[bB]oth given)\b|(?<![\w-])Of (?=[a-z])/;
/** The comments of a file in TypeScript, JavaScript, CSS or C, in SQL, and in Python or YAML; lines of a block comment count each. */
const comment = /\/\*[^]*?\*\/|(?<=^|\s)\/\/.*/gm;
const sqlComment = /--.*/gm;
const hashComment = /(?<=^|\s)#.*/gm;
/** What the built-in models are trained and asked on is everyday language. */
const everydayLanguage = /^scripts\/train\/(chat|eval-builtin)/;

/** Comments about work left to do: it is done, or it is an issue. In two parts, so that this file does not find itself. */
const promises = new RegExp(["\\b(TO", "DO|FIX", "ME)\\b"].join(""));
/** What a merge has left that was not resolved, also as a formatter of Markdown writes it. */
const unresolved = /^(\| )?<{7} |^>{7} |^(> ){6}/;
const emptyNames = /(^|\/)(utils?|helpers?|services?|common|misc)(\.|\/|$)/;

/** Rule 15: returns the lines of src/ and scripts/ with a word that a newcomer would stumble over. */
export function findPrivateWords(root: string): readonly string[] {
  const files = listFiles(root, ["src", "scripts"]).filter(({ path }) => !everydayLanguage.test(path));
  return findLines(files, privateWords);
}

/** Returns the lines of guides, recipes and comments with such a phrase. */
export function findBookishPhrases(root: string): readonly string[] {
  const own = ["README.md", "SECURITY.md"].filter((path) => existsSync(join(root, path)));
  const files = own.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const texts = ["src", "scripts"].flatMap((tree) => sourceFiles(root, tree, /\.md$/));
  const sources = ["src", "test", "scripts", "packaging"].flatMap((tree) =>
    sourceFiles(root, tree, commented),
  );
  return findLines([...files, ...texts, ...sources.map(keepComments)], bookish);
}

/** Returns the file with its comments alone, each in the line where it is. */
function keepComments({ path, text }: SourceFile): SourceFile {
  const lines = text.split("\n").map(() => "");
  const pattern = /\.(py|yaml)$/.test(path) ? hashComment : path.endsWith(".sql") ? sqlComment : comment;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const start = text.slice(0, index).split("\n").length - 1;
    for (const [offset, line] of found.split("\n").entries()) lines[start + offset] += line;
  }
  return { path, text: lines.join("\n") };
}

/** Returns lines about work left to do, and those that a merge has left. */
export function findUnfinished(root: string): readonly string[] {
  const files = listFiles(root, ["src", "test", "scripts"]);
  return [...findLines(files, promises), ...findLines(files, unresolved)];
}

/** Returns the files whose name, or the name of whose folder, does not describe their content. */
export function findEmptyNames(root: string): readonly string[] {
  const paths = listFiles(root, ["src", "test", "scripts"]).map(({ path }) => path);
  return paths.filter((path) => emptyNames.test(path));
}

function listFiles(root: string, trees: readonly string[]): readonly SourceFile[] {
  return trees.flatMap((tree) => sourceFiles(root, tree, ending));
}

function findLines(files: readonly SourceFile[], words: RegExp): readonly string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, index) => (words.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
}
