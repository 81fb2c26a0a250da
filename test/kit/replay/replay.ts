/** Lets models write the natural forms of their templates, asks a server for them, and compares what comes out. */
import { mkdirSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type OpenAI from "openai";
import { writeVerifiedFile } from "../models/verified-model.js";
import { naturalForms, naturalQuestion, naturalTools, type NaturalForm } from "./natural-forms.js";
import type { ReadSource } from "./read-source.js";
import { writeReplayModel } from "./replay-model.js";

export interface ReplayedTemplate {
  readonly name: string;
  readonly source: ReadSource;
  readonly forms: readonly NaturalForm[];
}

export async function prepareTemplate(name: string, source: ReadSource): Promise<ReplayedTemplate> {
  return { name, source, forms: await naturalForms(source) };
}

/** Length of each text's place; the tokens of a text are at most its bytes. */
function places({ forms }: ReplayedTemplate): readonly number[] {
  const sizes = forms.map(({ text }) => Buffer.byteLength(text) + 2);
  return sizes.map((_, at) => sizes.slice(0, at).reduce((sum, size) => sum + size, 0));
}

/** How many tokens the prompts have that the forms follow; the first text begins after the longest. */
export type PromptTokens = Readonly<Record<"auto" | "required", number>>;

const measuredContext = 8192;
/** An answer that a grammar has led astray ends soon after what it should have been. */
const answerTokensMax = (text: string): number => 2 * Buffer.byteLength(text) + 64;

/** Writes a model that shows how long the prompts of a template are. */
export function writeMeasuredModel(folder: string, template: ReplayedTemplate): Promise<void> {
  return writeFile(folder, template, 0, [], measuredContext);
}

/** Writes a model that writes the forms of a template. */
export function writeFormsModel(
  folder: string,
  template: ReplayedTemplate,
  tokens: PromptTokens,
): Promise<void> {
  const first = Math.max(tokens.auto, tokens.required);
  return writeFile(folder, template, first, template.forms, 0);
}

async function writeFile(
  folder: string,
  template: ReplayedTemplate,
  first: number,
  forms: readonly NaturalForm[],
  contextAtLeast: number,
): Promise<void> {
  const { source, end, reading } = template.source;
  const at = places(template);
  const total = forms.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 2, first + 256);
  const contextTokens = Math.max(total, contextAtLeast);
  const marks = new Set([...source.matchAll(controlMark)].map(([mark]) => mark));
  const { open = "", close = "" } = reading.reasoning ?? {};
  const own = [...reading.template.tools.marks, open, close].filter((mark) => wordMark.test(mark));
  const bytes = writeReplayModel({
    template: source,
    end,
    control: [...marks],
    userDefined: [...new Set(own)],
    answers: forms.map(({ text }, each) => ({ promptTokens: first + (at[each] ?? 0), text })),
    contextTokens,
  });
  mkdirSync(folder, { recursive: true });
  await writeVerifiedFile(folder, template.name, bytes, { contextTokens });
}

/** Texts that are control tokens of most vocabularies. */
const controlMark = /<[|｜][^<>{}'"\s]{1,64}?[|｜]>|\[\/?[A-Z][A-Z_]{2,62}\]|<\/?s>|<(?:start|end)_of_turn>/g;
/** Marks that are one token of most vocabularies, and that texts may contain. */
const wordMark = /^<\/?[a-z_:]+>$/;

type Choice = "auto" | "required";

export interface ReplayedOutcome {
  readonly kind: string;
  readonly toolChoice: Choice;
  readonly streamed: boolean;
  /** null: as expected. */
  readonly fault: string | null;
}

interface Answer {
  readonly content: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly finish: string | null;
  readonly promptTokens: number;
  readonly answerTokens: number;
}

const tools = naturalTools.map((tool) => ({ type: "function" as const, function: { ...tool } }));

/** Returns the prompts' lengths of a template that `writeMeasuredModel` has written. */
export async function measurePrompts(client: OpenAI, { name }: ReplayedTemplate): Promise<PromptTokens> {
  const measure = async (toolChoice: Choice): Promise<number> =>
    (await ask(client, { name, toolChoice, padding: 0, streamed: false, maxTokens: 1 })).promptTokens;
  return { auto: await measure("auto"), required: await measure("required") };
}

/** Asks for every form, and compares the answers. */
export async function* replayForms(
  client: OpenAI,
  template: ReplayedTemplate,
  tokens: PromptTokens,
): AsyncGenerator<ReplayedOutcome> {
  const first = Math.max(tokens.auto, tokens.required);
  const at = places(template);
  for (const [each, form] of template.forms.entries())
    for (const toolChoice of form.toolChoices)
      for (const streamed of [false, true]) {
        const padding = first - tokens[toolChoice] + (at[each] ?? 0);
        const maxTokens = answerTokensMax(form.text);
        const question = { name: template.name, toolChoice, padding, streamed, maxTokens };
        const answer = await ask(client, question).catch(String);
        const told = { kind: form.kind, toolChoice, streamed };
        yield { ...told, fault: typeof answer === "string" ? answer : findFault(form, answer) };
        if (form.isCut === true && typeof answer !== "string") {
          const faults = await cutFaults(client, question, answer, form);
          for (const fault of faults) yield { ...told, kind: "a call that is cut", fault };
        }
      }
}

function findFault({ calls, content, text }: NaturalForm, answer: Answer): string | null {
  const isRight = isDeepStrictEqual(answer.calls, calls) && answer.content.trim() === content;
  return isRight ? null : `${JSON.stringify([answer.content, answer.calls])} from ${JSON.stringify(text)}`;
}

interface Question {
  readonly name: string;
  readonly toolChoice: Choice;
  /** Tokens that are added to the prompt. */
  readonly padding: number;
  readonly streamed: boolean;
  readonly maxTokens: number;
}

/** Cuts an answer at several places: no text of it may be a part of a call. */
async function cutFaults(
  client: OpenAI,
  question: Question,
  whole: Answer,
  { calls, text }: NaturalForm,
): Promise<readonly (string | null)[]> {
  const { answerTokens } = whole;
  const parts = [0.3, 0.5, 0.7].map((part) => Math.round(part * answerTokens));
  const places = [...parts, ...[6, 4, 3, 2, 1].map((less) => answerTokens - less)].filter((at) => at > 0);
  const faults: (string | null)[] = [];
  for (const maxTokens of new Set(places)) {
    const answer = await ask(client, { ...question, maxTokens }).catch(String);
    if (typeof answer === "string") faults.push(answer);
    else {
      const known = answer.calls.every(({ name }, at) => name === calls[at]?.name);
      const isRight = answer.content.trim() === "" && known;
      faults.push(
        isRight
          ? null
          : `${JSON.stringify([answer.content, answer.calls])} at ${maxTokens} of ${answerTokens} from ${JSON.stringify(text)}`,
      );
    }
  }
  return faults;
}

async function ask(
  client: OpenAI,
  { name, toolChoice, padding, streamed, maxTokens }: Question,
): Promise<Answer> {
  const body = {
    model: name,
    messages: [{ role: "user" as const, content: naturalQuestion + "x".repeat(padding) }],
    tools,
    tool_choice: toolChoice,
    temperature: 0,
    max_tokens: maxTokens,
  } as unknown as OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
  if (!streamed) {
    const { choices, usage } = await client.chat.completions.create({ ...body, stream: false });
    const [choice] = choices;
    const calls = (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === "function" ? [call.function] : [],
    );
    return readAnswer(choice?.message.content ?? "", calls, choice?.finish_reason ?? null, usage);
  }
  const stream = await client.chat.completions.create({
    ...body,
    stream: true,
    stream_options: { include_usage: true },
  });
  const calls: { name: string; arguments: string }[] = [];
  let content = "";
  let finish: string | null = null;
  let usage: OpenAI.CompletionUsage | undefined;
  for await (const chunk of stream) {
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    content += choice?.delta.content ?? "";
    finish = choice?.finish_reason ?? finish;
    for (const { index, function: part } of choice?.delta.tool_calls ?? []) {
      const call = (calls[index] ??= { name: "", arguments: "" });
      call.name += part?.name ?? "";
      call.arguments += part?.arguments ?? "";
    }
  }
  return readAnswer(content, calls, finish, usage);
}

function readAnswer(
  content: string,
  calls: readonly { readonly name: string; readonly arguments: string }[],
  finish: string | null,
  usage: OpenAI.CompletionUsage | undefined,
): Answer {
  return {
    content,
    calls: calls.map((call) => ({ name: call.name, arguments: parsed(call.arguments) })),
    finish,
    promptTokens: usage?.prompt_tokens ?? 0,
    answerTokens: usage?.completion_tokens ?? 0,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
