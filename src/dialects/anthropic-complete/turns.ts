/** The turns of a prompt written as `\n\nHuman: ...\n\nAssistant: ...`, as the messages of a conversation. Pure. */
import type { Message } from "../../core/generation.js";
import { invalidValue } from "../field-error.js";
import { wellFormed } from "../well-formed.js";

export interface Turns {
  /** What stands before the first turn is the system's. */
  readonly messages: readonly Message[];
  /** What the answer begins with; empty: nothing. */
  readonly prefill: string;
}

const turnStart = /(?:^|\n\n)(Human|Assistant):/;

/** @throws HearthError `invalid_value` for a prompt without a human turn, or whose last turn is not the assistant's. */
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
