/** What was typed in earlier chats, in a file that only its user reads. */
import { appendFileSync, chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { readRegularFileSync } from "../../../system/regular-file.js";

/** Lines that are kept; older ones go. */
export const historyLinesMax = 1_000;
/** The file may grow to this before it is shortened, in the next chat. */
const fileBytesMax = 4 * 1024 * 1024;
/** Longer lines, such as pasted files, are not kept. */
const lineCharsMax = 4_000;
const mode = 0o600;

export interface ChatHistory {
  /** Newest first, as Node's readline has them. */
  readonly lines: readonly string[];
  add(line: string): void;
}

/** Reads the history. A file that cannot be read or written ends no chat: nothing is kept then. */
export function openHistory(path: string): ChatHistory {
  const lines = readLines(path);
  let canWrite = prepare(path, lines);
  return {
    lines: lines.slice(-historyLinesMax).reverse(),
    add: (line) => {
      if (!canWrite || line.trim() === "" || line.length > lineCharsMax) return;
      canWrite = attempt(() => appendFileSync(path, `${line}\n`, { mode }));
    },
  };
}

function readLines(path: string): readonly string[] {
  try {
    const text = readRegularFileSync(path, fileBytesMax).toString("utf8");
    return text.split("\n").filter((line) => line !== "");
  } catch {
    return [];
  }
}

/** Makes the folder, takes rights of others away, and shortens a long file. */
function prepare(path: string, lines: readonly string[]): boolean {
  return attempt(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, "", { mode });
    chmodSync(path, mode);
    if (lines.length <= historyLinesMax) return;
    const shortened = `${path}.new`;
    writeFileSync(
      shortened,
      lines
        .slice(-historyLinesMax)
        .map((line) => `${line}\n`)
        .join(""),
      { mode },
    );
    renameSync(shortened, path);
  });
}

function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
