/** The request of a conversation with its settings. Pure. */
import type { AttachedFile, PlaygroundTurn } from "./chat/turn.js";

export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** Settings as the fields of the page have them; an empty text leaves the choice to the server. */
export interface Settings {
  readonly model: string;
  readonly system: string;
  /** JSON text: a list of tools. */
  readonly tools: string;
  /** JSON text: a JSON Schema. */
  readonly schema: string;
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  readonly seed: string;
  readonly effort: "" | (typeof efforts)[number];
}

export const noSettings: Settings = {
  model: "",
  system: "",
  tools: "",
  schema: "",
  temperature: "",
  topP: "",
  maxTokens: "",
  seed: "",
  effort: "",
};

/** A request of POST /v1/chat/completions without the fields of streams. */
export type PlaygroundRequest = Readonly<Record<string, unknown>>;

/** Returns the request for the next answer. @throws Error if `tools` or `schema` is not valid JSON of its form. */
export function toChatRequest(settings: Settings, turns: readonly PlaygroundTurn[]): PlaygroundRequest {
  const tools = parseTools(settings.tools);
  const schema = parseSchema(settings.schema);
  const { system, effort } = settings;
  return {
    model: settings.model,
    messages: [
      ...(system.trim() === "" ? [] : [{ role: "system", content: system }]),
      ...turns.flatMap(toMessage),
    ],
    ...(tools === null ? {} : { tools }),
    ...(schema === null
      ? {}
      : { response_format: { type: "json_schema", json_schema: { name: "answer", schema } } }),
    ...numberField("temperature", settings.temperature),
    ...numberField("top_p", settings.topP),
    ...numberField("max_completion_tokens", settings.maxTokens),
    ...numberField("seed", settings.seed),
    ...(effort === "" ? {} : { reasoning_effort: effort }),
  };
}

/** Returns what is wrong with a text of tools, for the member who writes it; null if nothing is. */
export function toolsProblem(text: string): string | null {
  return findProblem(() => parseTools(text));
}

/** Returns what is wrong with the text of a schema; null if nothing is. */
export function schemaProblem(text: string): string | null {
  return findProblem(() => parseSchema(text));
}

function parseTools(text: string): readonly unknown[] | null {
  if (text.trim() === "") return null;
  const value = parsed(text);
  if (!isList(value)) throw new Error("Tools are a list: begin with [ and end with ].");
  value.forEach((tool, index) => {
    const named = isObject(tool) && isObject(tool["function"]) ? tool["function"]["name"] : undefined;
    if (!isObject(tool) || tool["type"] !== "function" || typeof named !== "string")
      throw new Error(`Tool ${index + 1} must have "type": "function", and "function" with a "name".`);
  });
  return value;
}

function parseSchema(text: string): unknown {
  if (text.trim() === "") return null;
  const value = parsed(text);
  if (!isObject(value)) throw new Error("A schema is an object: begin with { and end with }.");
  return value;
}

function toMessage(turn: PlaygroundTurn): readonly object[] {
  if (turn.role === "tool") return [{ role: "tool", tool_call_id: turn.callId, content: turn.text }];
  if (turn.role === "user") return [{ role: "user", content: toContent(turn.text, turn.files) }];
  // An answer that was stopped or failed before its first word says nothing.
  if (turn.text === "" && turn.calls.length === 0) return [];
  if (turn.calls.length === 0) return [{ role: "assistant", content: turn.text }];
  const calls = turn.calls.map(({ id, name, arguments: text }) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  }));
  const reasoning = turn.reasoning === "" ? {} : { reasoning_content: turn.reasoning };
  return [{ role: "assistant", content: turn.text, ...reasoning, tool_calls: calls }];
}

function toContent(text: string, files: readonly AttachedFile[]): unknown {
  if (files.length === 0) return text;
  return [...files.map(toPart), ...(text === "" ? [] : [{ type: "text", text }])];
}

function toPart({ kind, url }: AttachedFile): object {
  if (kind === "image") return { type: "image_url", image_url: { url } };
  const format = url.startsWith("data:audio/mpeg") ? "mp3" : "wav";
  return { type: "input_audio", input_audio: { data: url.slice(url.indexOf(",") + 1), format } };
}

function numberField(name: string, text: string): Readonly<Record<string, number>> {
  return text.trim() === "" ? {} : { [name]: Number(text) };
}

function findProblem(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`This is not valid JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
