/** Parses the request of POST /v1/complete into a GenerationRequest. Pure. */
import { noTools, type GenerationRequest, type Message } from "../../core/generation.js";
import { parseEngineFields } from "../generation/engine-fields.js";
import { parseOtherFormat } from "../generation/format-fields.js";
import { warnOfReasoning } from "../generation/reasoning-fields.js";
import { parseMaxTokens, parseSampling, parseStops } from "../generation/sampling.js";
import { validFields, invalidValue } from "../field-error.js";
import { wellFormed } from "../well-formed.js";
import { completeRequestSchema } from "./schema.js";

interface AnthropicRequest {
  readonly request: GenerationRequest;
  readonly stream: boolean;
}

/** Built-in stop sequence, so that the model does not generate the human's next turn. */
const nextTurn = "\n\nHuman:";

/**
 * Parses a request body. The turns of the prompt become the messages of a conversation, to which the model's chat template is
 * applied.
 * @throws HearthError that names the field: `invalid_field` if it is missing or has the wrong type, `invalid_value` if its value
 * is out of range.
 */
export function parseCompleteRequest(body: unknown): AnthropicRequest {
  const fields = validFields(completeRequestSchema, body);
  const { messages, prefill } = parseTurns(fields.prompt);
  const other = parseOtherFormat(fields);
  if (other !== null && prefill !== "")
    throw invalidValue(other.formatPath, "is not allowed with a beginning of the answer");
  const maxTokens = parseMaxTokens(fields.max_tokens_to_sample);
  const engine = parseEngineFields(fields, maxTokens);
  const request: GenerationRequest = {
    model: fields.model,
    messages,
    prefill: prefill || undefined,
    tools: [],
    toolChoice: noTools,
    format: other?.format ?? { type: "text" },
    schemaPaths: other === null ? undefined : { format: other.formatPath, tools: [] },
    // The response format has no field for reasoning.
    reasoningEffort: "none",
    sampling: parseSampling(fields),
    topLogprobs: null,
    choices: 1,
    stop: [...new Set([nextTurn, ...(fields.stop_sequences ?? []), ...parseStops(fields)])],
    ...engine,
    maxTokens,
    maxTokensExcludesReasoning: false,
    deterministic: fields.deterministic ?? false,
    warnings: [...engine.warnings, ...warnOfReasoning(fields, "the answer has no field for reasoning")],
  };
  return { request, stream: fields.stream ?? false };
}

interface Turns {
  /** Text before the first turn is the system message. */
  readonly messages: readonly Message[];
  /** The beginning of the answer; may be empty. */
  readonly prefill: string;
}

const turnStart = /(?:^|\n\n)(Human|Assistant):/;

/**
 * Converts a prompt with `\n\nHuman: ...\n\nAssistant: ...` turns into messages.
 * @throws HearthError `invalid_value` if there is no human turn or the last turn is not the assistant's.
 */
function parseTurns(prompt: string): Turns {
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
