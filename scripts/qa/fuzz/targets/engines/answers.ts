/** Answers of engines outside, of every kind, as their readers read them. */
import { isDeepStrictEqual } from "node:util";
import { HearthError } from "../../../../../src/core/errors.js";
import type { EngineEvent, GenerationEvent } from "../../../../../src/core/generation.js";
import { addEvent, noUsage } from "../../../../../src/core/usage.js";
import { check } from "../../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../../target.js";
import { openLanguage, prompt, readAnswer, type Reading } from "./read.js";
import { readScript, wholeText, type EngineScript } from "./script.js";
import { FuzzedServer } from "./server.js";

/** Kinds of errors that the fault of an engine has; others are of the request, which an engine refuses by its status. */
const failures = ["model_unavailable", "invalid_output"];
const refusals = [...failures, "invalid_value", "context_length_exceeded"];
/** The limit on an answer of a server that is sent texts; src/docs/remote-engines.md states it. */
const boundTextBytes = (tokens: number): number => tokens * 8 + 128;
/** Longer answers are read once. */
const comparedCharactersMax = 65_536;
/** What the words of an engine's errors have. */
const secret = "secret";

let server: Promise<FuzzedServer> | null = null;

export const target: FuzzTarget = {
  guarantee:
    "whatever an engine streams, reading it ends, takes bounded bytes, and gives an answer within the request's bounds or the error of an engine",
  format: "json",
  bytesMax: 4096,
  msMax: 10_000,
  corpus: "engine-answers",
  words: [
    "data: ",
    "data: [DONE]\n\n",
    "\n\n",
    "\r\n",
    ": ping\n",
    "$prompt",
    "$count",
    "$n",
    "token_id:5",
    "error",
    "stop_type",
    "limit",
    "tokens_predicted",
    "prompt_progress",
    "reasoning_tokens",
    "cached_tokens",
    "total_tokens",
    "<think>",
    "look",
    "hide",
  ],
  async run(input) {
    const script = readScript(input);
    const scripted = await (server ??= FuzzedServer.start());
    const read = (isInPieces: boolean): Promise<Reading> =>
      scripted.during(script, isInPieces, () => readAnswer(script, scripted.url));
    const reading = await read(false);
    await checkReading(script, reading);
    if (mayCompare(script)) {
      const again = await read(true);
      check(
        isDeepStrictEqual(summarise(again), summarise(reading)),
        () =>
          `in pieces it is ${JSON.stringify(summarise(again))}, as a whole ${JSON.stringify(summarise(reading))}`,
      );
    }
    return `${script.kind} ${summarise(reading).end}`;
  },
};

/** What was sent before a connection is lost may be lost, too. */
function mayCompare({ answers, cuts, losesConnection }: EngineScript): boolean {
  if (losesConnection || cuts.length === 0) return false;
  return answers.every(
    (answer) => (wholeText(answer)?.length ?? Number.POSITIVE_INFINITY) <= comparedCharactersMax,
  );
}

function summarise({ events, failure }: Reading): { readonly events: unknown; readonly end: string } {
  const end = failure instanceof HearthError ? toLabel(`${failure.kind}: ${failure.message}`) : "answered";
  const last = events.at(-1);
  const failed = last?.type === "generation-end" ? (last.failure?.message ?? last.finishReason) : "";
  return {
    events: failure === null ? JSON.parse(JSON.stringify(events)) : null,
    end: `${end} ${toLabel(failed)}`,
  };
}

async function checkReading(script: EngineScript, { events, sampled, failure }: Reading): Promise<void> {
  if (failure !== null) checkFailure(script, failure);
  checkOrder(events, failure === null);
  checkUsage(script, events.filter(isOfAnswer));
  const bytes = Buffer.byteLength(joinText(events));
  const { tokenBytes, vocabularyTokens } = await openLanguage();
  const bytesPerToken = tokenBytes.longestBytes;
  const bytesMax =
    script.kind === "openai" ? boundTextBytes(script.maxTokens) : script.maxTokens * bytesPerToken;
  check(bytes <= bytesMax, () => `${bytes} bytes of text for ${script.maxTokens} tokens`);
  if (sampled !== null) {
    check(sampled.length <= script.maxTokens, () => `${sampled.length} tokens of ${script.maxTokens}`);
    for (const id of sampled) check(id < vocabularyTokens, () => `the token ${id} is in the answer`);
  }
  for (const event of events) if ("logprobs" in event) checkLogprobs(event.logprobs ?? []);
}

function checkFailure({ status }: EngineScript, failure: unknown): void {
  if (!(failure instanceof HearthError)) throw failure;
  const { kind, message } = failure;
  check((status === 200 ? failures : refusals).includes(kind), () => `the error is ${kind}: ${message}`);
  // The name of a tool that the model calls is of the answer.
  if (kind !== "invalid_output")
    check(!message.includes(secret), () => `words of the engine are in: ${message}`);
}

function isOfAnswer(event: EngineEvent): event is GenerationEvent {
  return event.type !== "prompt-cut";
}

/** Checks that an answer begins once, and ends once where reading it did not fail. */
function checkOrder(events: readonly EngineEvent[], isWhole: boolean): void {
  const types = events.map(({ type }) => type);
  const isRight =
    types.lastIndexOf("generation-start") <= 0 &&
    (types.length === 0 || types[0] === "generation-start") &&
    (isWhole ? types.indexOf("generation-end") === types.length - 1 : !types.includes("generation-end"));
  check(isRight && !types.includes("prompt-cut"), () => `the events are ${types.slice(0, 50).join(", ")}`);
}

/** Checks the tokens that a run counts of the events; what a server counts is checked of its streams. */
function checkUsage({ maxTokens }: EngineScript, events: readonly GenerationEvent[]): void {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = events.reduce(addEvent, noUsage);
  const sampled = completionTokens + reasoningTokens;
  check(sampled <= maxTokens, () => `${sampled} tokens are counted of ${maxTokens}`);
  check(cachedTokens <= promptTokens, () => `${cachedTokens} of ${promptTokens} prompt tokens are cached`);
  check(promptTokens <= prompt.length, () => `${promptTokens} prompt tokens are counted of ${prompt.length}`);
}

function joinText(events: readonly EngineEvent[]): string {
  return events
    .map((event) => {
      if (event.type === "tool-call-start") return event.name;
      if (event.type === "tool-call-delta") return event.tokens === 0 ? "" : event.arguments;
      return "text" in event ? event.text : "";
    })
    .join("");
}

/** A token that is not in the vocabulary has no text. */
function checkLogprobs(logprobs: readonly { readonly top: readonly { readonly text: string }[] }[]): void {
  for (const { top } of logprobs)
    for (const { text } of top) check(text !== "", () => "an alternative is not in the vocabulary");
}
