/** Requests to servers that are sent texts: the fields of OpenAI's chat completions that most of them have. */
import type { Conversation, DecodeJob } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { AnswerFormat, Message, Tool, ToolChoice } from "../../../core/generation.js";

/**
 * Returns the body of a request.
 * @throws HearthError `invalid_value` for what no such server is known to do.
 */
export function writeChatBody(modelName: string, conversation: Conversation, job: DecodeJob): object {
  refuseUnknown(conversation, job);
  const { sampling, statedSampling: stated = sampling, stop, maxTokens, tools, toolChoice } = job;
  const { format = { type: "text" } } = job;
  const effort = conversation.reasoningEffort;
  return {
    model: modelName,
    messages: conversation.messages.map(writeMessage),
    stream: true,
    stream_options: { include_usage: true },
    temperature: stated.temperature,
    top_p: stated.topP,
    max_tokens: maxTokens ?? undefined,
    stop: stop.length === 0 ? undefined : stop,
    seed: sampling.seed ?? undefined,
    frequency_penalty: stated.frequencyPenalty || undefined,
    presence_penalty: stated.presencePenalty || undefined,
    reasoning_effort: effort === "default" ? undefined : effort,
    response_format: writeResponseFormat(format),
    chat_template_kwargs: conversation.templateVariables,
    ...toolFields(tools, toolChoice),
  };
}

/** @throws HearthError that names the field. */
function refuseUnknown({ prefill }: Conversation, job: DecodeJob): void {
  const { sampling, topLogprobs, deterministic, stopTokens = [], minTokens = 0 } = job;
  const { topK, minP, repeatPenalty = 1, logitBias } = sampling;
  const fields = {
    top_k: topK !== null,
    min_p: minP !== 0,
    repeat_penalty: repeatPenalty !== 1,
    logit_bias: Object.keys(logitBias).length > 0,
    logprobs: topLogprobs !== null,
    deterministic,
    stop_token_ids: stopTokens.length > 0,
    min_tokens: minTokens > 0,
    messages: prefill !== undefined,
  };
  const [field] = Object.entries(fields).find(([, isStated]) => isStated) ?? [];
  if (field === undefined) return;
  const what = field === "messages" ? "a start of the answer" : field;
  throw new HearthError(
    "invalid_value",
    `${field}: ${what} is not supported by this model: its server is sent texts and general fields only.`,
    { param: field },
  );
}

function writeMessage({ role, content, name, toolCalls = [], toolCallId }: Message): object {
  const calls = toolCalls.map(({ id, name: called, arguments: text }) => ({
    id,
    type: "function",
    function: { name: called, arguments: text },
  }));
  return {
    role,
    content: content === "" && calls.length > 0 ? null : content,
    name,
    tool_calls: calls.length === 0 ? undefined : calls,
    tool_call_id: toolCallId,
  };
}

function writeResponseFormat(format: AnswerFormat): object | undefined {
  // A server of texts takes no grammar: the answer is validated here.
  if (format.type === "text" || format.type === "grammar") return undefined;
  if (format.type === "json-object") return { type: "json_object" };
  // Not strict: servers refuse most schemas then, and the answer is validated here.
  return { type: "json_schema", json_schema: { name: "answer", schema: format.schema } };
}

/** Where only some tools may be called, the others are not sent. */
function toolFields(tools: readonly Tool[], { mode, names, parallel }: ToolChoice): object {
  const offered = names === null ? tools : tools.filter(({ name }) => names.includes(name));
  if (offered.length === 0) return {};
  const [only] = offered;
  const isNamed = mode === "required" && names !== null && offered.length === 1;
  return {
    tools: offered.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
    tool_choice: isNamed ? { type: "function", function: { name: only?.name } } : mode,
    parallel_tool_calls: parallel ? undefined : false,
  };
}
