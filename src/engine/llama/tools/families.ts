/**
 * All families that a template can be known by, and the one for all other templates. Data alone: a new family is a new entry.
 * None is ever known by the name of a model.
 */
import type { ToolFamily } from "./family.js";
import { command, gemma, granite, hermes, hermesCall, llama, mistral, phi } from "./families/enveloped.js";
import { deepseek, deepseekFenced, harmony, kimi, mistralArgs } from "./families/named.js";
import { glm, qwenCoder } from "./families/tagged.js";

/** Every family that a template can be known by. */
export const families: readonly ToolFamily[] = [
  hermes,
  qwenCoder,
  glm,
  llama,
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

/** For a template that says nothing of tools, or nothing that is known here: written as most models have seen it. */
export const fallback: ToolFamily = {
  name: "generic",
  signs: { all: [] },
  syntaxes: [hermesCall],
  resultMarks: ["<tool_response>\n", "\n</tool_response>"],
};
