/** The request fields that the response repeats, with defaults for absent fields. Pure. */
import { completeSampling, type Model } from "../../core/model.js";
import { parseMaxTokens } from "../generation/sampling.js";
import { repeatedMcpTool } from "./tools/mcp/servers.js";
import type { ResponsesRequestBody } from "./schema.js";
import type { ResponseObject } from "./response-schema.js";

type RepeatedFields = Pick<
  ResponseObject,
  | "instructions"
  | "max_output_tokens"
  | "max_tool_calls"
  | "metadata"
  | "parallel_tool_calls"
  | "prompt_cache_key"
  | "reasoning"
  | "safety_identifier"
  | "temperature"
  | "text"
  | "tool_choice"
  | "tools"
  | "top_logprobs"
  | "top_p"
  | "presence_penalty"
  | "frequency_penalty"
  | "truncation"
  | "user"
>;

type SamplingField = "temperature" | "top_p" | "presence_penalty" | "frequency_penalty";

/** What a request states: null where the model's defaults decide. */
export type ResponseSettings = Omit<RepeatedFields, SamplingField> &
  Readonly<Record<SamplingField, number | null>>;

/** Reads these fields from a request. @param executed types of the tools that the server executes */
export function readResponseSettings(
  fields: ResponsesRequestBody,
  executed: ReadonlySet<string>,
): ResponseSettings {
  const { reasoning, user } = fields;
  return {
    instructions: fields.instructions ?? null,
    max_output_tokens: parseMaxTokens(fields.max_output_tokens),
    max_tool_calls: fields.max_tool_calls ?? null,
    metadata: fields.metadata ?? {},
    parallel_tool_calls: fields.parallel_tool_calls ?? true,
    prompt_cache_key: fields.prompt_cache_key ?? null,
    reasoning: {
      effort: reasoning?.effort ?? null,
      summary: reasoning?.summary ?? reasoning?.generate_summary ?? null,
    },
    safety_identifier: fields.safety_identifier ?? null,
    temperature: fields.temperature ?? null,
    text: textSettings(fields.text),
    tool_choice: fields.tool_choice ?? "auto",
    tools: toolSettings(fields.tools, executed),
    top_logprobs: fields.top_logprobs ?? 0,
    top_p: fields.top_p ?? null,
    presence_penalty: fields.presence_penalty ?? null,
    frequency_penalty: fields.frequency_penalty ?? null,
    truncation: fields.truncation ?? "disabled",
    user: user ?? undefined,
  };
}

/** Returns the fields as the model answers the request. */
export function repeatedFields(settings: ResponseSettings, { defaults = {} }: Model): RepeatedFields {
  const unstated = completeSampling({}, defaults);
  return {
    ...settings,
    max_output_tokens:
      settings.max_output_tokens ?? defaults.maxTokens ?? defaults.maxTokensOtherwise ?? null,
    temperature: settings.temperature ?? unstated.temperature,
    top_p: settings.top_p ?? unstated.topP,
    presence_penalty: settings.presence_penalty ?? unstated.presencePenalty,
    frequency_penalty: settings.frequency_penalty ?? unstated.frequencyPenalty,
  };
}

function textSettings(text: ResponsesRequestBody["text"]): ResponseSettings["text"] {
  const verbosity = text?.verbosity ?? undefined;
  const format = text?.format ?? { type: "text" };
  if (format.type !== "json_schema") return { format: { type: format.type }, verbosity };
  const { name, description, schema, strict } = format;
  return {
    format: {
      type: "json_schema",
      name: name ?? "response",
      description: description ?? null,
      schema,
      strict: strict ?? false,
    },
    verbosity,
  };
}

function toolSettings(
  tools: ResponsesRequestBody["tools"],
  executed: ReadonlySet<string>,
): ResponseSettings["tools"] {
  return (tools ?? []).flatMap((tool): ResponseSettings["tools"] => {
    if (tool.type === "hosted" || (tool.type === "image_generation" && !executed.has(tool.type))) return [];
    if (tool.type === "mcp") return [repeatedMcpTool(tool)];
    if (tool.type !== "function") return [tool];
    const { type, name, description, parameters, strict } = tool;
    return [
      {
        type,
        name,
        description: description ?? null,
        parameters: parameters ?? null,
        strict: strict ?? true,
      },
    ];
  });
}
