/**
 * All tool-call families, which are recognised by the text of a chat template and never by the name of a model, and the fallback for all
 * other templates. Data only: a new family is a new entry.
 */
import type { ToolFamily } from "./family.js";
import { command, gemma, granite, hermes, hermesCall, llama, mistral, phi } from "./families/enveloped.js";
import { deepseek, deepseekFenced, harmony, kimi, mistralArgs } from "./families/bare-name.js";
import { lfm, llama4 } from "./families/pythonic.js";
import { glm, qwenCoder } from "./families/tagged.js";

/** Every family that a template can be recognised by. */
export const families: readonly ToolFamily[] = [
  hermes,
  qwenCoder,
  glm,
  llama,
  llama4,
  lfm,
  mistral,
  mistralArgs,
  deepseekFenced,
  deepseek,
  kimi,
  harmony,
  gemma,
  granite,
  phi,
  command,
];

/** For a template without tools, or with an unknown format: the format that most models were trained on. */
export const fallback: ToolFamily = {
  name: "generic",
  signs: { all: [] },
  syntaxes: [hermesCall],
  resultMarks: ["<tool_response>\n", "\n</tool_response>"],
};
