import { printTo } from "../../terminal.js";
import { listMedia, type ChatMessage } from "./messages.js";
import { attachFiles } from "./named-files.js";

/** Reads the files that a message names, and says so on a terminal. */
export async function readMessage(words: readonly string[], home: string): Promise<ChatMessage["content"]> {
  const content = await attachFiles(words, { home, folder: process.cwd() });
  if (process.stderr.isTTY)
    for (const { type, path } of listMedia([{ role: "user", content }]))
      printTo(process.stderr).write(`Added ${type} '${path}'\n`);
  return content;
}
