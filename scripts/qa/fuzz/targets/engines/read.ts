/** Reads the answer of a scripted server as an engine of its kind does. */
import { fileURLToPath } from "node:url";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import type { DecodeJob, Engine } from "../../../../../src/core/engine.js";
import { noTools, type EngineEvent, type Tool } from "../../../../../src/core/generation.js";
import type { Model } from "../../../../../src/core/model.js";
import { noTracing } from "../../../../../src/core/telemetry/tracing.js";
import type { SeededJob } from "../../../../../src/engine/language/seeded-job.js";
import { createRemoteClient } from "../../../../../src/engine/remote/clients.js";
import { RemoteGeneration } from "../../../../../src/engine/remote/generation.js";
import {
  loadLanguage,
  type VocabularyLanguage,
} from "../../../../../src/engine/language/load/load-language.js";
import type { RemotePool } from "../../../../../src/engine/remote/pool.js";
import type { TokenKind } from "../../../../../src/engine/remote/protocol.js";
import { createTextEngine } from "../../../../../src/engine/remote/text/text-engine.js";
import { ember } from "../../../../../test/kit/scripted/ember.js";
import { renderHere } from "../../../../../test/kit/engine/render-here.js";
import type { EngineScript } from "./script.js";

/** The model's vocabulary and template are the built-in one's. */
const model: Model = {
  ...ember,
  path: fileURLToPath(new URL("../../../../../models/hearth-tiny-5m/hearth-tiny-5m.gguf", import.meta.url)),
};
const contextTokens = model.manifest.contextTokens;
export const prompt = [1, 2, 3];
const tool: Tool = { name: "look", parameters: { type: "object" } };
const hidden: Tool = { name: "hide", parameters: { type: "object" } };

let language: Promise<VocabularyLanguage> | null = null;

export function openLanguage(): Promise<VocabularyLanguage> {
  return (language ??= load());
}

async function load(): Promise<VocabularyLanguage> {
  const llama = await getLlama({
    gpu: false,
    build: "never",
    skipDownload: true,
    logLevel: LlamaLogLevel.disabled,
  });
  return loadLanguage(llama, model, renderHere);
}

/** What was read: all events, and what the reading failed with. */
export interface Reading {
  readonly events: readonly EngineEvent[];
  /** Ids of the tokens of the answer; null where they are not known. */
  readonly sampled: readonly number[] | null;
  readonly failure: unknown;
}

export function readAnswer(script: EngineScript, url: string): Promise<Reading> {
  return script.kind === "openai" ? readTexts(script, url) : readTokens(script, script.kind, url);
}

async function readTexts(script: EngineScript, url: string): Promise<Reading> {
  const server = { url, apiKey: null };
  const replica = { url, isFailing: false, fail: () => undefined, checkAgain: () => undefined };
  const pool = {
    settings: { kind: "openai" },
    enterServer: (tried: ReadonlySet<unknown>) => {
      if (tried.size > 0) throw new Error("there is one server");
      return { replica, server, modelName: "m", leave: () => undefined };
    },
  };
  const clock = { now: () => 0, monotonic: () => 0, after: () => () => undefined };
  const engine: Pick<Engine, "generate"> = createTextEngine(() => pool as unknown as RemotePool, {
    clock,
    tracing: noTracing,
  });
  const events: EngineEvent[] = [];
  try {
    for await (const event of engine.generate(model, createScriptedJob(script), new AbortController().signal))
      events.push(event);
    return { events, sampled: null, failure: null };
  } catch (failure) {
    return { events, sampled: null, failure };
  }
}

async function readTokens(script: EngineScript, kind: TokenKind, url: string): Promise<Reading> {
  const known = await openLanguage();
  const events: EngineEvent[] = [];
  const emit = (more: readonly EngineEvent[]): void => void events.push(...more);
  const client = createRemoteClient(kind, known);
  const deps = { language: known, contextTokens, client, endTokens: known.endTokens, emit };
  const target = { kind, url, apiKey: null, modelName: "m", slot: null, reusesPrefixes: false, salt: "s" };
  const job: SeededJob = { ...createScriptedJob(script), seed: 1 };
  try {
    const report = await new RemoteGeneration(deps, job, target).run(new AbortController().signal);
    return { events, sampled: [...report.answer], failure: null };
  } catch (failure) {
    return { events, sampled: null, failure };
  }
}

function createScriptedJob({ kind, maxTokens, topLogprobs, isPenalised, mayCall }: EngineScript): DecodeJob {
  const isText = kind === "openai";
  const callsTools = isText && mayCall;
  return {
    prompt: {
      tokens: Uint32Array.from(prompt),
      startsInReasoning: false,
      ...(isText ? { conversation: { messages: [], tools: [], reasoningEffort: "default" } } : {}),
    },
    teamId: "team",
    sampling: {
      temperature: 1,
      topP: 1,
      seed: 1,
      frequencyPenalty: isPenalised ? 1 : 0,
      presencePenalty: 0,
      topK: null,
      minP: 0,
      logitBias: {},
    },
    tools: callsTools ? [tool, hidden] : [],
    toolChoice: callsTools
      ? { mode: "auto", names: [tool.name], parallel: true, withheld: [hidden] }
      : noTools,
    rules: { rules: new Map(), text: null, toolArguments: [] },
    callIdPrefix: "call_",
    reasoningTokensMax: null,
    topLogprobs: isText ? null : topLogprobs,
    stop: [],
    maxTokens,
    maxTokensExcludesReasoning: false,
    deterministic: false,
  };
}
