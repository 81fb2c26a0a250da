/** What a server answers in one input: a JSON document, whose parts may be of any type. */
import { createParser } from "eventsource-parser";
import { parsed } from "../../mutate/json.js";

export const kinds = ["llama-server", "vllm", "sglang", "openai"] as const;
export type EngineKind = (typeof kinds)[number];

/** A frame that is sent so often is sent until the connection is closed. */
const endlessTimes = 2 ** 31;
/** The longest answer that has an end. */
const answerCharactersMax = 6_291_456;

export interface EngineScript {
  readonly kind: EngineKind;
  readonly maxTokens: number;
  readonly topLogprobs: number | null;
  readonly isPenalised: boolean;
  readonly mayCall: boolean;
  readonly status: number;
  /** The answers to requests, in order; the last one is the answer to those after it, too. */
  readonly answers: readonly EngineAnswer[];
  /** Places at which the bytes are cut, modulo their number. */
  readonly cuts: readonly number[];
  /** Whether connections are lost where answers end. */
  readonly losesConnection: boolean;
}

export type EngineAnswer = readonly Frame[];

export interface Frame {
  /** `$n` stands for the number of the repetition. */
  readonly text: string;
  readonly times: number;
}

type Document = Readonly<Record<string, unknown>>;

export function readScript(input: Uint8Array): EngineScript {
  const value = parsed(input);
  const document: Document = typeof value === "object" && value !== null ? (value as Document) : {};
  const has = (name: string): boolean => document[name] === true;
  const { kind, cuts, answers } = document;
  return {
    kind: kinds.find((each) => each === kind) ?? "openai",
    maxTokens: wholeIn(document["maxTokens"], 1, 64) ?? 8,
    topLogprobs: wholeIn(document["topLogprobs"], 0, 20),
    isPenalised: has("penalised"),
    mayCall: has("calls"),
    status: wholeIn(document["status"], 400, 599) ?? 200,
    answers: toItems(answers).slice(0, 8).map(toAnswer),
    cuts: toItems(cuts)
      .flatMap((cut) => (typeof cut === "number" ? [Math.abs(Math.trunc(cut))] : []))
      .slice(0, 40),
    losesConnection: has("lost"),
  };
}

function wholeIn(value: unknown, least: number, most: number): number | null {
  return typeof value === "number" && value >= least && value <= most ? Math.trunc(value) : null;
}

function toItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** A text is sent as it is, `[times, frame]` is a frame that is repeated, and anything else is the data of an event. */
function toAnswer(value: unknown): EngineAnswer {
  let characters = answerCharactersMax;
  return toItems(value).map((item) => {
    const [times, repeated] = Array.isArray(item) ? (item as readonly unknown[]) : [];
    const isRepeated = typeof times === "number" && repeated !== undefined;
    const text = toText(isRepeated ? repeated : item);
    if (isRepeated && times >= endlessTimes && text !== "") return { text, times: Number.POSITIVE_INFINITY };
    const most = Math.floor(characters / Math.max(text.length, 1));
    const count = isRepeated ? Math.max(0, Math.min(Math.trunc(times), most)) : 1;
    characters = Math.max(0, characters - count * text.length);
    return { text, times: count };
  });
}

function toText(frame: unknown): string {
  return typeof frame === "string" ? frame : `data: ${JSON.stringify(frame) ?? "null"}\n\n`;
}

/** Returns a text with what stands for the prompt of a request in its place. */
export function placePrompt(text: string, prompt: readonly number[]): string {
  return text.replaceAll('"$prompt"', JSON.stringify(prompt)).replaceAll('"$count"', String(prompt.length));
}

/** Returns the text of an answer; null where it has no end. */
export function wholeText(answer: EngineAnswer): string | null {
  if (answer.some(({ times }) => times === Number.POSITIVE_INFINITY)) return null;
  return answer
    .map(({ text, times }) => {
      if (!text.includes("$n")) return text.repeat(times);
      return Array.from({ length: times }, (_, nth) => numbered(text, nth)).join("");
    })
    .join("");
}

export function numbered(text: string, nth: number): string {
  return text.replaceAll('"$n"', String(nth)).replaceAll("$n", String(nth));
}

/** Whether the event `[DONE]` is in a text, as another reader of the standard sees it. */
export function hasDone(text: string): boolean {
  if (!text.includes("[DONE]")) return false;
  let isFound = false;
  const parser = createParser({ onEvent: ({ data }) => (isFound ||= data === "[DONE]") });
  parser.feed(text);
  return isFound;
}
