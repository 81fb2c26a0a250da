import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the inputs in a folder of the corpus, by name. A file is one input; each line of a file `*.jsonl` is one, and so is each
 * part of a file `*.parts` between lines that are `%%%%`.
 */
export function readCorpus(folder: string): readonly Uint8Array[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const bytes = readFileSync(join(folder, name));
      if (name.endsWith(".jsonl")) return splitBytes(bytes, "\n");
      return name.endsWith(".parts") ? splitBytes(bytes, "\n%%%%\n") : [bytes];
    });
}

function splitBytes(bytes: Buffer, separator: string): readonly Uint8Array[] {
  const parts = bytes.toString("utf8").split(separator);
  return parts.filter((part) => part.trim() !== "").map((part) => Buffer.from(part));
}
