import { join } from "node:path";
import { expect, it } from "vitest";
import { createRunLabelStore } from "../../../../src/inference/run/store/run-labels.js";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { openDatabase } from "../../../../src/store/database.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { startServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { builtInModel, testKey } from "../../../kit/server/settings.js";
import { keys } from "../../../kit/server/six-keys.js";
import { eventually } from "../../../kit/until.js";
import { createManualClock } from "../../../kit/manual-clock.js";

const model = builtInModel;
const messages = [{ role: "user", content: "Hello" }];
const metadata = { project: "atlas" };

async function served() {
  const data = join(temporaryFolder(), "data");
  const clock = createManualClock(Date.UTC(2026, 10, 21));
  const { app, url } = await startServer({
    environment: { HEARTH_DATA: data },
    engine: createScriptedEngine(() => ["Yes."]),
    clock,
  });
  const database = await openDatabase(join(data, "hearth.db"));
  const store = createRunLabelStore(database);
  return {
    clock,
    close: () => database.close(),
    send: async (path: string, body: object): Promise<void> => {
      const response = await fetch(url + path, {
        method: "POST",
        headers: headersOf(testKey),
        body: JSON.stringify({ model, max_tokens: 8, ...body }),
      });
      expect(response.status, await response.text()).toBe(200);
    },
    /** Returns the labels of the newest run. */
    newest: async (): Promise<unknown> => {
      const [run] = await app.runs.list(1);
      return JSON.parse((await store.find(run?.id ?? "")) ?? "null");
    },
  };
}

it("what a request says of itself is stored with its run, in every dialect, and not with store: false", async () => {
  const { send, newest, close } = await served();
  const chat = { messages, user: "ada", safety_identifier: "s-1", metadata };
  await send("/v1/chat/completions", chat);
  expect(await newest()).toEqual({ user: "ada", safety_identifier: "s-1", metadata });
  await send("/v1/chat/completions", { ...chat, store: false });
  expect(await newest()).toBeNull();
  await send("/v1/responses", { input: "Hello", user: "ada", safety_identifier: "s-1", metadata });
  expect(await newest()).toEqual({ user: "ada", safety_identifier: "s-1", metadata });
  await send("/v1/messages", { messages, metadata: { user_id: "ada" } });
  expect(await newest()).toEqual({ user: "ada" });
  await send("/v1/completions", { prompt: "Hello", user: "ada" });
  expect(await newest()).toEqual({ user: "ada" });
  await send("/v1/chat/completions", { messages });
  expect(await newest()).toBeNull();
  await close();
});

it("what a request says of itself is deleted after ninety days; its run stays", async () => {
  const { send, newest, clock, close } = await served();
  await send("/v1/chat/completions", { messages, user: "ada" });
  clock.jump(89 * 86_400_000);
  clock.advance(10_000);
  expect(await newest()).toEqual({ user: "ada" });
  clock.jump(86_400_000);
  await eventually(async () => {
    clock.advance(1000);
    expect(await newest()).toBeNull();
  });
  await close();
});

it.each([
  ["/v1/chat/completions", { messages, service_tier: "gold" }, "service_tier"],
  ["/v1/responses", { input: "Hello", service_tier: "gold" }, "service_tier"],
  ["/v1/chat/completions", { messages, user: "x".repeat(513) }, "user"],
  ["/v1/chat/completions", { messages, safety_identifier: "x".repeat(513) }, "safety_identifier"],
  ["/v1/messages", { messages, max_tokens: 8, metadata: { user_id: "x".repeat(513) } }, "metadata.user_id"],
])("%s refuses by name what it cannot store: %j", async (path, body, field) => {
  const { url } = await startServer({ engine: () => ["Yes."] });
  const response = await fetch(url + path, {
    method: "POST",
    headers: headersOf(keys.ada),
    body: JSON.stringify({ model: "ember-1m", ...body }),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(`${field}: must be`);
});
