import { expect, it } from "vitest";
import { startServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { chat, createLimitedTeam, readResponse } from "../../kit/server/limited.js";

const [path, body] = chat;

/** Requests that are refused after their key is known, by their status. */
const refusals: readonly (readonly [status: number, path: string, body: object])[] = [
  [422, path, {}],
  [422, path, { ...body, temperature: "hot" }],
  [404, path, { ...body, model: "nothing-has-this-name" }],
  [403, "/v1/embeddings", { model: builtInModel, input: "Hello" }],
  [400, "/v1/messages", { model: builtInModel }],
  [400, "/api/chat", { model: builtInModel, messages: "Hello" }],
];

it("M11: a request counts once its key is known, whatever refuses it; one that a limit refuses counts nowhere", async () => {
  const server = await createLimitedTeam(await startServer({ accounts: "managed" }));
  const qpm = refusals.length + 1;
  const { apiKey } = await server.newKey({ acls: ["api-key:endpoint:chat", "api-key:model:*"], qpm });
  const statuses: number[] = [];
  for (const [, to, sent] of refusals) statuses.push((await server.post(to, sent, apiKey)).status);
  expect(statuses).toEqual(refusals.map(([status]) => status));
  const last = await readResponse(server.post(path, body, apiKey));
  expect([last.status, last.header("x-ratelimit-remaining-requests")]).toEqual([200, "0"]);
  for (let times = 0; times < 3; times += 1) expect((await server.post(path, body, apiKey)).status).toBe(429);
  expect((await server.post(path, body, "hk-no-key-at-all")).status).toBe(401);
});
