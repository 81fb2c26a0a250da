/** Converts a prompt with `\n\nHuman: ...\n\nAssistant: ...` turns into messages. Pure. */
import type { Message } from "../../core/generation.js";
import { invalidValue } from "../field-error.js";
import { wellFormed } from "../well-formed.js";

export interface Turns {
  /** Text before the first turn is the system message. */
  readonly messages: readonly Message[];
  /** The beginning of the answer; may be empty. */
  readonly prefill: string;
}

const turnStart = /(?:^|\n\n)(Human|Assistant):/;

/** @throws HearthError `invalid_value` if there is no human turn or the last turn is not the assistant's. */
export function parseTurns(prompt: string): Turns {
  const [system = "", ...parts] = wellFormed(prompt).trimStart().split(turnStart);
  const messages: Message[] = system.trim() === "" ? [] : [{ role: "system", content: system.trim() }];
  for (let at = 0; at + 1 < parts.length; at += 2)
    messages.push({
      role: parts[at] === "Human" ? "user" : "assistant",
      content: (parts[at + 1] ?? "").trim(),
    });
  const last = messages.pop();
  if (!messages.some(({ role }) => role === "user"))
    throw invalidValue("prompt", 'must have a "\\n\\nHuman:" turn before the last one');
  if (last?.role !== "assistant") throw invalidValue("prompt", 'must end with a "\\n\\nAssistant:" turn');
  return { messages, prefill: last.content };
}
