/** Requests of agents, and what the model received. */
import { expect } from "vitest";
import type { ScriptedServer } from "../../../kit/server.js";
import { keys } from "../../../kit/server/six-keys.js";

/** Returns the names of the tools that the model received with the first prompt. */
export function toolNames({ engine }: ScriptedServer): readonly string[] {
  return (engine.jobs[0]?.tools ?? []).map(({ name }) => name);
}

export function send(app: ScriptedServer, path: string, body: object): Promise<Response> {
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
