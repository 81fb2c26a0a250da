/** A server whose scripted model answers agents, and what the model received. */
import { expect } from "vitest";
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
