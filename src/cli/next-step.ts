/** A line that says what to do after the first chat, the first key and the first pull: once for each data folder, on terminals only. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { createDataFolder } from "../system/folder.js";
import type { TextOut } from "./terminal.js";

/** By the words of a command. A line has at most 80 columns. */
const nextSteps: Readonly<Record<string, string>> = {
  run: "Next: `hearth pull qwen3:4b` brings a larger model, `hearth keys create` a key.",
  "keys create": "Next: `hearth usage --by key` shows what each key has used.",
  pull: "Next: `hearth run MODEL` chats with it, and `hearth set MODEL` tunes it.",
};

/** Has the commands that lines belong to. */
const shownFile = "next-steps-shown.json";

interface StepSettings {
  readonly data: string;
}

/** Prints the line of a command after its success. Call it after all commands were added. */
export function addNextSteps(
  program: Command,
  load: () => Promise<{ readonly config: StepSettings }>,
  out: TextOut,
): void {
  program.hook("postAction", async (_, command) => {
    const words = nameCommand(command);
    const { json, quiet } = command.optsWithGlobals<{ json?: true; quiet?: true }>();
    if (nextSteps[words] === undefined || out.isTTY !== true || (process.exitCode ?? 0) !== 0) return;
    if (json === true || quiet === true) return;
    showOnce(words, (await load()).config, out);
  });
}

/** Returns the words of a command after the program's name. */
function nameCommand(command: Command): string {
  const above = command.parent;
  return above?.parent == null ? command.name() : `${nameCommand(above)} ${command.name()}`;
}

function showOnce(words: string, { data }: StepSettings, out: TextOut): void {
  const file = join(data, shownFile);
  const shown = readShown(file);
  if (shown.includes(words)) return;
  try {
    createDataFolder(data);
    writeFileSync(file, `${JSON.stringify([...shown, words])}\n`, { mode: 0o600 });
  } catch {
    // A line that would come each time is left out.
    return;
  }
  out.write(`${nextSteps[words] ?? ""}\n`);
}

function readShown(file: string): readonly string[] {
  try {
    const shown: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
    return Array.isArray(shown) ? shown.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}
