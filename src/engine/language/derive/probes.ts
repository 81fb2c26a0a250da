/** Conversations with unique names and values, which show how a template writes them. */
import type { Tool } from "../../../core/generation.js";
import type { TemplateMessage } from "../tools/messages.js";

/** Texts that no template contains. */
export const marker = {
  user: "Qxuser",
  text: "Qxtext",
  result: "Qxresult",
  reasoning: "Qxthought",
} as const;

export interface ProbeCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A string, a number and a string, so that each kind of value comes before another argument. */
export const twoCalls: readonly [ProbeCall, ProbeCall] = [
  { id: "Qxid00001", name: "qx_first", arguments: { qxka: "qxva", qxkb: 70411, qxkc: "qxvc" } },
  { id: "Qxid00002", name: "qx_second", arguments: { qxka: "qxvd", qxkb: 70412, qxkc: "qxve" } },
];

/** Values that notations write in different ways. */
export const valueCall: ProbeCall = {
  id: "Qxid00003",
  name: "qx_values",
  arguments: {
    qxka: { inner: ["x", 2.5, false, null], other: { deep: "y" } },
    qxkb: true,
    qxke: "qxvf",
  },
};

/** The same with a text that notations escape in different ways. */
export const textCall: ProbeCall = {
  ...valueCall,
  arguments: { ...valueCall.arguments, qxke: "a \"b\" 'c' \\d\ne\u00e9, f" },
};

const value = { description: "A value." };
const text = { ...value, type: "string" };
const number = { ...value, type: "integer" };

function createTool(name: string, properties: Readonly<Record<string, object>>): Tool {
  const parameters = { type: "object", properties, required: Object.keys(properties) };
  return { name, description: "Does something.", parameters };
}

export const probeTools: readonly Tool[] = [
  createTool("qx_first", { qxka: text, qxkb: number, qxkc: text }),
  createTool("qx_second", { qxka: text, qxkb: number, qxkc: text }),
  createTool("qx_values", {
    qxka: { ...value, type: "object", properties: { inner: text } },
    qxkb: { ...value, type: "boolean" },
    qxke: text,
  }),
];

/** A tool without a description, as it is passed to a template. */
export const bareTool = {
  type: "function",
  function: { name: "qx_bare", parameters: { type: "object", properties: { qxka: text } } },
};

/** How calls are passed to a template. */
export interface ProbeForm {
  readonly argumentsAsText: boolean;
  readonly content: string | null;
  readonly ids?: "numbered" | "long";
  /** Whether the results follow, without which some templates raise an error. */
  readonly withResults: boolean;
}

const user: TemplateMessage = { role: "user", content: marker.user };

export interface TurnProbe {
  readonly messages: readonly TemplateMessage[];
  readonly add_generation_prompt: boolean;
  /** Further variables of the template. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** A greeting, up to the place where the model's turn begins. */
export const promptProbe: TurnProbe = { messages: [user], add_generation_prompt: true };

/** A turn with text only. */
export const textProbe: TurnProbe = {
  messages: [user, { role: "assistant", content: marker.text }],
  add_generation_prompt: false,
};

/** A turn with calls. */
export function callsProbe(calls: readonly ProbeCall[], form: ProbeForm): TurnProbe {
  const turn = {
    role: "assistant",
    content: form.content,
    tool_calls: calls.map((call, index) => ({
      id: writeId(call, index, form),
      type: "function",
      function: {
        name: call.name,
        arguments: form.argumentsAsText ? JSON.stringify(call.arguments) : call.arguments,
      },
    })),
  };
  const results = calls.map((call, index) => ({
    role: "tool",
    tool_call_id: writeId(call, index, form),
    name: call.name,
    content: marker.result,
  }));
  return { messages: [user, turn, ...(form.withResults ? results : [])], add_generation_prompt: false };
}

/** Returns the probe's turn with the reasoning in these fields. */
export function withReasoning(probe: TurnProbe, fields: readonly string[]): TurnProbe {
  const messages = probe.messages.map((message) =>
    message["role"] === "assistant"
      ? { ...message, ...Object.fromEntries(fields.map((field) => [field, marker.reasoning])) }
      : message,
  );
  return { ...probe, messages };
}

function writeId({ id, name }: ProbeCall, index: number, { ids }: ProbeForm): string {
  if (ids === "numbered") return `functions.${name}:${index}`;
  return ids === "long" ? `call_${id}_longer_than_some_templates_allow` : id;
}
