import { startTwoManaged } from "./managed.js";
import { expect, it } from "vitest";
import { createScriptedEngine } from "../kit/scripted/engine.js";
import type { ManagedServer } from "../kit/server.js";
import { gate, until } from "../kit/until.js";

it("one response at a time is generated in a conversation, on all servers together", async () => {
  const held = gate();
  const engine = createScriptedEngine(() => [held.opened, "Good"]);
  const [first, second] = await startTwoManaged((name) => (name === "first" ? { engine } : {}));
  const ask = (server: ManagedServer, path: string, body: object) =>
    server.request("POST", `/v1/${path}`, body, server.apiKey);
  const { id } = (await ask(first, "conversations", {})).body as { id: string };
  const request = { model: "hearth-tiny-5m", input: "Hello", conversation: id };
  const answer = ask(first, "responses", request);
  await until(() => engine.active === 1);
  expect(await ask(second, "responses", request)).toMatchObject({
    status: 400,
    body: { error: { code: "conversation_locked" } },
  });
  held.open();
  expect((await answer).status).toBe(200);
  expect((await ask(second, "responses", request)).status).toBe(200);
  const items = await second.request("GET", `/v1/conversations/${id}/items`, undefined, second.apiKey);
  expect((items.body as { data: object[] }).data).toHaveLength(4);
});
