/**
 * The texts that models with one chat template naturally write when they call tools: the turns that the template itself writes, with the
 * white space and the ends that models add or omit, and the forms without marks that models of every template write.
 */
import { isDeepStrictEqual } from "node:util";
import type { Message, Tool } from "../../../src/core/generation.js";
import { writeTurn, type ReadSource, type WrittenTurn } from "./read-source.js";

export interface NaturalCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface NaturalForm {
  /** What the text shows, in a few words. */
  readonly kind: string;
  readonly text: string;
  readonly calls: readonly NaturalCall[];
  /** The text of the answer beside its calls. */
  readonly content: string;
  readonly toolChoices: readonly ("auto" | "required")[];
  /** Whether the answer is also cut at several places, by a limit of its tokens. */
  readonly isCut?: true;
}

const text = { type: "string" };

function createTool(name: string, properties: object, ...required: readonly string[]): Tool {
  return { name, description: `The tool ${name}.`, parameters: { type: "object", properties, required } };
}

export const naturalTools: readonly Tool[] = [
  createTool("get_weather", { city: text, days: { type: "integer" } }, "city"),
  createTool("get_time", {}),
  createTool("add_note", {
    title: { type: ["string", "null"] },
    body: text,
    tags: { type: "array", items: text },
  }),
];

const paris: NaturalCall = { name: "get_weather", arguments: { city: "Paris", days: 3 } };
const oslo: NaturalCall = { name: "get_weather", arguments: { city: "Oslo, a", days: -1 } };
const time: NaturalCall = { name: "get_time", arguments: {} };
const note: NaturalCall = {
  name: "add_note",
  arguments: { title: "A title", body: 'It\'s "so"\n{x}', tags: ["a"] },
};

/** The question that the forms answer. */
export const naturalQuestion = "Qxuser asks x";
const said = "I will look.";
const both = ["auto", "required"] as const;

/** Returns the forms of one template. */
export async function naturalForms(source: ReadSource): Promise<readonly NaturalForm[]> {
  const own = await ownForms(source);
  const spoken = await write(source, { role: "assistant", content: said });
  const prefix =
    typeof spoken === "string" ? "" : reasoningBefore({ ...spoken, startsInReasoning: false }, source);
  // A grammar of JSON Schemas forces no Python, and no JSON as a text.
  const { exact, readsReasoning } = source.reading.template.tools;
  const plain = plainForms.map(({ isInexact, ...form }) => ({
    ...form,
    text: prefix + form.text,
    toolChoices: isInexact === true && exact ? (["auto"] as const) : form.toolChoices,
  }));
  const answer = typeof spoken === "string" ? said : spoken.text;
  return [
    ...own,
    ...withReasoning(own, spoken, source),
    // A message with a header says what it is.
    ...(readsReasoning ? [] : plain),
    {
      kind: "a text",
      text: prefixed(answer, spoken, source),
      calls: [],
      content: said,
      toolChoices: ["auto"],
    },
  ];
}

async function ownForms(source: ReadSource): Promise<readonly NaturalForm[]> {
  const forms: NaturalForm[] = [];
  const add = async (kind: string, calls: readonly NaturalCall[], more: OwnForm = {}): Promise<void> => {
    const { content = "", change = (written: string): string => written, ...rest } = more;
    if (calls.length > 1 && !source.reading.template.tools.parallel) return;
    const found = await write(source, callsTurn(calls, content));
    // A template may leave out what it cannot write.
    if (typeof found === "string" || !showsAll(found.text, calls, content)) return;
    const written = change(prefixed(found.text, found, source));
    forms.push({
      kind,
      text: written,
      calls,
      content,
      toolChoices: content === "" ? both : ["auto"],
      ...rest,
    });
  };
  await add("a call", [paris], { isCut: true });
  await add("a call with several types", [note]);
  await add("a call without arguments", [time]);
  await add("a call, and the end of its line", [paris], { change: (each) => `${each}\n` });
  await add("a call, and empty lines", [paris], { change: (each) => `${each}\n\n` });
  await add("a space before a call", [paris], { change: (each) => insertBefore(each, " ", source) });
  await add("a line before a call", [paris], { change: (each) => insertBefore(each, "\n", source) });
  await add("two calls", [paris, oslo]);
  await add("two calls, and the end of the line", [paris, oslo], { change: (each) => `${each}\n` });
  await add("text and a call", [paris], { content: said });
  await add("text and a call, and the end of its line", [paris], {
    content: said,
    change: (each) => `${each}\n`,
  });
  await add("text and two calls", [paris, oslo], { content: said });
  await add("compact JSON", [paris], {
    change: (each) => each.replaceAll('": ', '":').replaceAll(', "', ',"'),
  });
  await add("spaced JSON", [paris], {
    change: (each) => each.replace(/":(?! )/g, '": ').replace(/,"/g, ', "'),
  });
  return forms.filter(
    (form, at) =>
      !forms
        .slice(0, at)
        .some((other) => other.text === form.text && isDeepStrictEqual(other.calls, form.calls)),
  );
}

/** The first form, after reasoning that the model begins itself. */
function withReasoning(
  own: readonly NaturalForm[],
  spoken: WrittenTurn | string,
  { reading }: ReadSource,
): readonly NaturalForm[] {
  const { open = "", close = "" } = reading.reasoning ?? {};
  const first = own.find(({ kind }) => kind === "a call");
  if (first === undefined || typeof spoken === "string" || spoken.promptOpens || open === "") return [];
  const { calls, content, toolChoices, text: written } = first;
  const call = written.slice(written.includes(close) ? written.indexOf(close) + close.length : 0).trimStart();
  const reasons = `${open}\nHm.\n${close}\n\n${call}`;
  return [
    { kind: "reasoning and a call", text: reasons, calls, content, toolChoices },
    { kind: "a line before reasoning and a call", text: `\n${reasons}\n`, calls, content, toolChoices },
  ];
}

interface OwnForm {
  readonly content?: string;
  readonly change?: (written: string) => string;
  readonly isCut?: true;
}

function write(source: ReadSource, turn: Message): Promise<WrittenTurn | string> {
  return writeTurn(source, { user: naturalQuestion, turn, tools: naturalTools });
}

function callsTurn(calls: readonly NaturalCall[], content: string): Message {
  const toolCalls = calls.map((call, at) => ({
    id: `call0000${at}`,
    name: call.name,
    arguments: JSON.stringify(call.arguments),
  }));
  return { role: "assistant", content, toolCalls };
}

function showsAll(written: string, calls: readonly NaturalCall[], content: string): boolean {
  const values = calls.flatMap((call) => [
    call.name,
    ...Object.keys(call.arguments),
    ...Object.values(call.arguments).flatMap((value) =>
      typeof value === "string" ? (/^\w+/.exec(value) ?? []) : [],
    ),
  ]);
  return written.includes(content) && values.every((value) => written.includes(value));
}

/** Returns the reasoning with which a model goes on where the prompt has begun it. */
function reasoningBefore({ promptOpens, startsInReasoning }: WrittenTurn, { reading }: ReadSource): string {
  return promptOpens && !startsInReasoning ? `Hm.\n${reading.reasoning?.close ?? ""}\n\n` : "";
}

function prefixed(written: string, turn: WrittenTurn | string, source: ReadSource): string {
  if (typeof turn === "string") return written;
  const { open = "", close = "" } = source.reading.reasoning ?? {};
  const before = reasoningBefore(turn, source);
  // A template may write a block of its own, which the prompt has begun.
  const hasBlock = before !== "" && written.trimStart().startsWith(open) && written.includes(close);
  return before + (hasBlock ? written.slice(written.indexOf(close) + close.length) : written).trim();
}

/** Inserts white space before what follows the reasoning. */
function insertBefore(written: string, space: string, { reading }: ReadSource): string {
  const close = reading.reasoning?.close ?? "";
  const at = close === "" ? -1 : written.indexOf(close);
  const from = at < 0 ? 0 : at + close.length;
  return written.slice(0, from) + space + written.slice(from);
}

const argumentsJson = JSON.stringify(paris.arguments);
const envelope = `{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}`;
const second = `{"name": "get_weather", "arguments": {"city": "Oslo, a", "days": -1}}`;
const message = `{"type": "function", "function": {"name": "get_weather", "arguments": ${JSON.stringify(argumentsJson)}}}`;

function plainForm(
  kind: string,
  written: string,
  calls: readonly NaturalCall[] = [paris],
  content = "",
): NaturalForm {
  return { kind, text: written, calls, content, toolChoices: content === "" ? both : ["auto"] };
}

interface PlainForm extends NaturalForm {
  readonly isInexact?: true;
}

/** Forms without marks of the template. */
const plainForms: readonly PlainForm[] = [
  plainForm("JSON", envelope),
  plainForm("JSON, and the end of its line", `${envelope}\n`),
  plainForm("JSON with parameters", envelope.replace("arguments", "parameters")),
  plainForm("JSON with a type", envelope.replace("{", '{"type": "function", ')),
  plainForm("a list of JSON", `[${envelope}, ${second}]`, [paris, oslo]),
  plainForm("several JSON calls with semicolons", `${envelope}; ${second}`, [paris, oslo]),
  plainForm("several JSON calls on lines", `${envelope}\n${second}`, [paris, oslo]),
  plainForm("fenced JSON", `\`\`\`json\n${envelope}\n\`\`\``),
  plainForm("text and fenced JSON", `${said}\n\`\`\`json\n${envelope}\n\`\`\``, [paris], said),
  {
    ...plainForm(
      "Python calls",
      '[get_weather(city="Paris", days=3), get_weather(city="Oslo, a", days=-1)]',
      [paris, oslo],
    ),
    isInexact: true,
  },
  { ...plainForm("a Python call", 'get_weather(city="Paris", days=3)'), isInexact: true },
  {
    ...plainForm("a fenced Python call", '```python\nget_weather(city="Paris", days=3)\n```'),
    isInexact: true,
  },
  plainForm("functools", `functools[${envelope}]`),
  plainForm("a name and JSON", `get_weather\n${argumentsJson}`),
  { ...plainForm("a message-shaped call", message), isInexact: true },
  { ...plainForm("message-shaped calls", `{"tool_calls": [${message}]}`), isInexact: true },
];
