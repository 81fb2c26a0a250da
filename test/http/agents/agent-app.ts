/** A server whose scripted model answers agents, and what the model received. */
import { expect } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import type { ScriptStep } from "../../kit/scripted/engine.js";
import { type ScriptedServer, startServer } from "../../kit/server.js";
import { keys } from "../../kit/server/six-keys.js";

export interface AgentApp extends ScriptedServer {
  /** The prompts that the model received: one line `role: content` for each message. */
  readonly prompts: readonly string[];
  /** The names of the tools that the model received with the first prompt. */
  toolNames(): readonly string[];
}

/** Starts a server whose model gives the same answer each time. */
export async function startAgentApp(steps: readonly ScriptStep[]): Promise<AgentApp> {
  const prompts: string[] = [];
  const app = await startServer({
    engine: (prompt) => {
      prompts.push(prompt);
      return steps;
    },
    contextTokens: 4096,
  });
  return { ...app, prompts, toolNames: () => (app.engine.jobs[0]?.tools ?? []).map(({ name }) => name) };
}

/** Returns the events of an answer that is one tool call, whose arguments arrive one character at a time. */
export function calling(name: string, args: object): readonly GenerationEvent[] {
  const pieces = [...JSON.stringify(args)].map((piece): GenerationEvent => ({
    type: "tool-call-delta",
    choice: 0,
    index: 0,
    arguments: piece,
    tokens: 1,
  }));
  return [
    { type: "tool-call-start", choice: 0, index: 0, id: "call_1", name, tokens: 1 },
    ...pieces,
    { type: "tool-call-end", choice: 0, index: 0, tokens: 0 },
    { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
  ];
}

export function send(app: AgentApp, path: string, body: object): Promise<Response> {
  return fetch(app.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.ada}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Returns the events of a streamed answer. */
export async function framesOf<Frame>(response: Response): Promise<readonly Frame[]> {
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as Frame);
}
