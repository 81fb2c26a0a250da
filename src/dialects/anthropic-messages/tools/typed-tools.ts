/**
 * Anthropic's client tools: the client sends their type and name only, and executes them. The schemas are from Anthropic's
 * documentation; versions of a type differ in details that a client's own checks report.
 */
import type { Tool } from "../../../core/generation.js";

const text = { type: "string" };
const line = { type: "integer", minimum: 0 };
const path = { type: "string", description: "Absolute path of the file or folder." };
const viewRange = {
  type: "array",
  items: { type: "integer" },
  minItems: 2,
  maxItems: 2,
  description: "First and last line to show, counted from 1; -1 as the last shows the rest.",
};

const bash = {
  description: "Runs a command in a shell that keeps its state between calls.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", description: "The command to run. Required unless `restart` is true." },
      restart: { type: "boolean", description: "Starts the shell again." },
    },
    additionalProperties: false,
  },
};

const viewFile = describeCommand("view", { path, view_range: viewRange }, ["path"]);
const createFile = describeCommand("create", { path, file_text: text }, ["path", "file_text"]);
const replaceText = describeCommand("str_replace", { path, old_str: text, new_str: text }, [
  "path",
  "old_str",
]);
const editor = (insertedText: "insert_text" | "new_str") => ({
  description: "Shows, creates and edits files. `str_replace` replaces text that occurs exactly once.",
  parameters: {
    type: "object",
    oneOf: [
      viewFile,
      createFile,
      replaceText,
      describeCommand("insert", { path, insert_line: line, [insertedText]: text }, [
        "path",
        "insert_line",
        insertedText,
      ]),
    ],
  },
});
const memory = {
  description: "Keeps notes in files below /memories, which are there in later conversations, too.",
  parameters: {
    type: "object",
    oneOf: [
      viewFile,
      createFile,
      replaceText,
      describeCommand("insert", { path, insert_line: line, insert_text: text }, [
        "path",
        "insert_line",
        "insert_text",
      ]),
      describeCommand("delete", { path }, ["path"]),
      describeCommand("rename", { old_path: path, new_path: path }, ["old_path", "new_path"]),
    ],
  },
};

/** Returns what the model sees of a client tool; null for other types. @param type such as `bash_20250124`. */
export function typedTool(type: string): Omit<Tool, "name"> | null {
  if (/^bash_\d{8}$/.test(type)) return bash;
  if (/^memory_\d{8}$/.test(type)) return memory;
  const version = /^text_editor_(\d{8})$/.exec(type)?.[1];
  if (version === undefined) return null;
  return editor(version >= "20250728" ? "insert_text" : "new_str");
}

function describeCommand(
  command: string,
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[],
) {
  return {
    type: "object",
    properties: { command: { type: "string", enum: [command] }, ...properties },
    required: ["command", ...required],
    additionalProperties: false,
  };
}
