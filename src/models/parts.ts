/**
 * Large models consist of parts named `x-00001-of-00003.gguf`. Together they are one model, identified by its
 * first part.
 */
const partName = /^(?<stem>.*)-(?<part>\d{5})-of-(?<parts>\d{5})\.gguf$/i;
const partsMax = 1000;

/** Returns the name of the model of a file: without `.gguf` and without the part number. */
export function readModelStem(file: string): string {
  return partName.exec(file)?.groups?.["stem"] ?? file.replace(/\.gguf$/i, "");
}

/** Returns whether this file is a part, but not the first part, of a model. */
export function isLaterPart(file: string): boolean {
  const part = partName.exec(file)?.groups?.["part"];
  return part !== undefined && Number(part) !== 1;
}

/** Returns whether this file is a model, or the first part of one. */
export function isFirstGguf(file: string): boolean {
  return /\.gguf$/i.test(file) && !isLaterPart(file);
}

/** Files beside a model that are none of their own: projectors, statistics, vocabularies, adapters. */
const besides = /mmproj|imatrix|(?:^|[-_./])(?:vocab|lora|adapter)(?:[-_./]|$)/i;
/** Models that only draft for another. */
const drafts = /(?:^|[-_./])(?:draft|drafter|drafting|eagle\d?|dflash|mtp|nextn|medusa)(?:[-_./]|$)/i;

/**
 * Returns whether a file may be what its repository is named for: no projector, and no draft unless the repository is called so.
 * @param path from the repository's root @param repository its name
 */
export function isMainModel(path: string, repository: string): boolean {
  return !besides.test(path) && (!drafts.test(path) || drafts.test(repository));
}

/** Returns whether a file's name is a projector's. */
export function isProjectorName(path: string): boolean {
  return /mmproj[^/]*\.gguf$/i.test(path);
}

/**
 * Returns all files of the model that begins with `file`, in order. A file without a part number is the only
 * one.
 */
export function listPartFiles(file: string): readonly string[] {
  const groups = partName.exec(file)?.groups;
  const parts = Number(groups?.["parts"] ?? 1);
  if (groups === undefined || parts < 2 || parts > partsMax) return [file];
  const ending = file.slice(-".gguf".length);
  const number = (n: number) => String(n).padStart(5, "0");
  return Array.from(
    { length: parts },
    (_, i) => `${groups["stem"] ?? ""}-${number(i + 1)}-of-${number(parts)}${ending}`,
  );
}
