/** Large models come in parts named `x-00001-of-00003.gguf`; together they are one model, known by its first part. */
const partName = /^(?<stem>.*)-(?<part>\d{5})-of-(?<parts>\d{5})\.gguf$/i;
const partsMax = 1000;

/** What a model of that file is called: without `.gguf` and without a part's number. */
export function stemOf(file: string): string {
  return partName.exec(file)?.groups?.["stem"] ?? file.replace(/\.gguf$/i, "");
}

/** Whether this file is a part but not the first of its model. */
export function isLaterPart(file: string): boolean {
  const part = partName.exec(file)?.groups?.["part"];
  return part !== undefined && Number(part) !== 1;
}

/** All files of the model whose first file is `file`, in order: itself alone, unless its name says that there are more. */
export function partsOf(file: string): readonly string[] {
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
