/** What a chat asks for beside its messages, and how the API is sent it. Pure. */

/** `true` and `false` are Ollama's words. */
export const thinkEfforts = ["on", "off", "true", "false", "low", "medium", "high"] as const;
export type Effort = (typeof thinkEfforts)[number];

/** `json`, or a JSON Schema. */
export type StatedForm = "json" | Readonly<Record<string, unknown>>;

export interface ChatSettings {
  /** null: the model's own. */
  system: string | null;
  /** null: as the model decides. */
  think: Effort | null;
  format: StatedForm | null;
  /** By the names of chat completions. */
  parameters: Readonly<Record<string, number | readonly string[]>>;
  /** Whether the times and rates of answers are printed. */
  isVerbose: boolean;
  wrapsWords: boolean;
  showsReasoning: boolean;
}

/** Returns the fields of a request. */
export function toRequestFields({ think, format, parameters }: ChatSettings): object {
  return { ...parameters, ...thinkField(think), ...formatField(format) };
}

function thinkField(think: Effort | null): object {
  if (think === null) return {};
  if (think === "on" || think === "true") return { enable_thinking: true };
  return { reasoning_effort: think === "off" || think === "false" ? "none" : think };
}

function formatField(format: StatedForm | null): object {
  if (format === null) return {};
  if (format === "json") return { response_format: { type: "json_object" } };
  return { response_format: { type: "json_schema", json_schema: { name: "answer", schema: format } } };
}

interface Parameter {
  /** Name in chat completions; absent: the same. */
  readonly field?: string;
  readonly kind: "number" | "integer" | "texts";
}

/** Parameters by Ollama's names. The server checks their ranges. */
const parameters: Readonly<Record<string, Parameter>> = {
  temperature: { kind: "number" },
  top_k: { kind: "integer" },
  top_p: { kind: "number" },
  min_p: { kind: "number" },
  seed: { kind: "integer" },
  num_predict: { kind: "integer", field: "max_tokens" },
  stop: { kind: "texts" },
  repeat_penalty: { kind: "number" },
  repeat_last_n: { kind: "integer" },
  presence_penalty: { kind: "number" },
  frequency_penalty: { kind: "number" },
};

/** Settings of a model, by Ollama's names of options. */
const modelSettings: Readonly<Record<string, string>> = {
  num_ctx: "context",
  num_gpu: "gpuLayers",
  main_gpu: "mainGpu",
};

export const parameterNames = Object.keys(parameters);

/**
 * Returns the parameters with another value of one of them.
 * @param values several for `stop` only
 * @throws Error that names the parameter, and what helps.
 */
export function withParameter(
  before: ChatSettings["parameters"],
  name: string,
  values: readonly string[],
): ChatSettings["parameters"] {
  const { kind, field = name } = findParameter(name);
  if (kind === "texts") return { ...before, [field]: values };
  const text = values.join(" ");
  const value = Number(text);
  if (text === "" || !Number.isFinite(value) || (kind === "integer" && !Number.isInteger(value)))
    throw new Error(`${name} must be a ${kind === "integer" ? "whole " : ""}number, not '${text}'`);
  return { ...before, [field]: name === "num_predict" && value <= 0 ? -1 : value };
}

function findParameter(name: string): Parameter {
  const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (parameter !== undefined) return parameter;
  const setting = Object.hasOwn(modelSettings, name) ? modelSettings[name] : undefined;
  if (setting !== undefined)
    throw new Error(`${name} is a setting of the model: \`hearth set MODEL ${setting}=N\``);
  throw new Error(`there is no parameter '${name}'; there are ${parameterNames.join(", ")}`);
}

/** Returns the parameters as lines of name and value, by Ollama's names. */
export function describeParameters(
  stated: ChatSettings["parameters"],
): readonly (readonly [string, string])[] {
  return Object.entries(parameters).flatMap(([name, { field = name }]) => {
    const value = stated[field];
    if (value === undefined) return [];
    return [
      [name, typeof value === "number" ? String(value) : value.map((each) => JSON.stringify(each)).join(" ")],
    ];
  });
}

/** Reads a form of answers: `json`, or the JSON text of a schema. @returns null for another text */
export function parseStatedForm(text: string): StatedForm | null {
  if (text === "json") return text;
  try {
    const schema: unknown = JSON.parse(text);
    const isSchema = typeof schema === "object" && schema !== null && !Array.isArray(schema);
    return isSchema ? (schema as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
