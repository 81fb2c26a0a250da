/** A server whose model plays what a request names, and what asks it. */
import type { DeclaredType } from "../../kit/clients/declared-types.js";
import { calling } from "../../kit/scripted/calling.js";
import type { GenerationEvent, SampledLogprob } from "../../../src/core/generation.js";
import type { Script, ScriptStep } from "../../kit/scripted/engine.js";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";
import type { ManagedServerOptions } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";

/** Sends a request. @returns the JSON values of its answer: one, or one for each event or line */
export type Ask = (path: string, body?: object, method?: string) => Promise<readonly object[]>;

/** Answers that are held against a type. */
export interface AnswerCase extends DeclaredType {
  /** What of the type, where it has several rows. */
  readonly what?: string;
  /** Returns the values that a client of the package reads as the type. */
  readonly values: (ask: Ask) => Promise<readonly unknown[]>;
  /** Problems that stay on purpose, by the reason. */
  readonly kept?: Readonly<Record<string, readonly string[]>>;
  /** Values of `type` that occur somewhere in the answers. */
  readonly kinds?: readonly string[];
}

export const model = builtInModel;

function end(finishReason: "content_filter" | "stop_sequence", stopSequence: string | null): GenerationEvent {
  return { type: "generation-end", choice: 0, finishReason, stopSequence };
}

const reasoning: GenerationEvent = { type: "reasoning-delta", choice: 0, text: "One word.", tokens: 2 };
const token = (text: string): SampledLogprob => ({
  text,
  bytes: [...Buffer.from(text)],
  logprob: -0.5,
  top: [{ text: "No", bytes: [78, 111], logprob: -1 }],
});

/** What the model answers to `play NAME`. */
const plays: Readonly<Record<string, readonly ScriptStep[]>> = {
  text: ["Good", " day."],
  reasoning: [reasoning, "Yes."],
  call: [reasoning, "I look. ", ...calling("get_weather", { city: "Bern" })],
  custom: calling("note", { input: "a text" }),
  shell: calling("shell", { commands: ["ls"] }),
  local: calling("local_shell", { command: ["ls"] }),
  patch: calling("apply_patch", { type: "create_file", path: "a.txt", diff: "+a" }),
  search: calling("tool_search", { query: "calendar" }),
  draw: calling("image_generation", { prompt: "fox" }),
  long: ["one two three four five six"],
  stop: ["Good", end("stop_sequence", " day")],
  filter: ["Good", end("content_filter", null)],
  json: ['{"city":', '"Bern"}'],
  cite: ["Grass is green [[0:0]]. It is day."],
  fail: ["Good", new Error("lost")],
  logprobs: [{ type: "text-delta", choice: 0, text: "Yes", tokens: 1, logprobs: [token("Yes")] }],
};

const script: Script = (prompt) => {
  if (prompt.includes("Summarise our conversation")) return ["Ada likes owls."];
  if (prompt.includes("was drawn")) return ["Here it is."];
  return plays[/play (\w+)/.exec(prompt)?.[1] ?? "text"] ?? [];
};

export const playing: ManagedServerOptions = {
  accounts: "managed",
  engine: script,
  contextTokens: 8_000,
  imageEngine: createScriptedImageEngine(),
};

/** Asks a server with a key. */
export function asker({ url }: { readonly url: string }, key: string): Ask {
  return async (path, body, method = body === undefined ? "GET" : "POST") => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = body instanceof FormData ? body : JSON.stringify(body);
    const form = { authorization: `Bearer ${key}` };
    const response = await fetch(url + path, {
      method,
      headers: body instanceof FormData ? form : headers,
      body: sent,
    });
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream")) return readEvents(text);
    if (type.startsWith("application/x-")) return readLines(text);
    return [JSON.parse(text) as object];
  };
}

function readEvents(text: string): readonly object[] {
  const data = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as object);
  return data;
}

function readLines(text: string): readonly object[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
}

/** Returns the first value of an answer. */
export async function first(answer: Promise<readonly object[]>): Promise<Readonly<Record<string, unknown>>> {
  return { ...(await answer)[0] };
}

/** Returns the entries of a list in the first value of an answer. */
export async function entries(
  answer: Promise<readonly object[]>,
  key: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const list = (await first(answer))[key];
  return Array.isArray(list) ? (list as Readonly<Record<string, unknown>>[]) : [];
}

/** Sends requests one after another. @returns all values of their answers */
export async function askAll(
  ask: Ask,
  path: string,
  bodies: readonly object[],
  more: object = {},
): Promise<readonly object[]> {
  const values: object[] = [];
  for (const body of bodies) values.push(...(await ask(path, { model, ...body, ...more })));
  return values;
}

export const weatherParameters = { type: "object", properties: { city: { type: "string" } } };
export const answerSchema = { ...weatherParameters, required: ["city"], additionalProperties: false };
