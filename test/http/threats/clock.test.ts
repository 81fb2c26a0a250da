import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.js";
import { builtInModel, until } from "../../harness.js";
import { everything, managed, now } from "../auth/managed.js";
import { createManualClock } from "../manual-clock.js";
import { newSide } from "./world.js";

describe("F11: a clock that jumps", () => {
  it("an hour, a year and back again refuses nobody, does each job once, and keeps the books", async () => {
    const manual = createManualClock(now);
    const jump = { ms: 0 };
    const clock: Clock = { ...manual, now: () => manual.now() + jump.ms };
    const server = await managed(undefined, { clock });
    const side = await newSide(server, "ours");
    const { apiKey } = await server.key(side.teamId, { acls: everything, qpm: 1000, tpm: "1000000" });
    const chat = { model: builtInModel, messages: [{ role: "user", content: "Hello" }] };
    const hour = 3_600_000;
    let asked = 0;
    for (const ms of [0, -hour, hour, -24 * 365 * hour, 24 * 365 * hour, 1, -1, 0]) {
      jump.ms = ms;
      expect((await server.ask("POST", "/v1/chat/completions", chat, apiKey)).status).toBe(200);
      const { body } = await server.ask("POST", "/v1/chat/completions", { ...chat, deferred: true }, apiKey);
      const path = `/v1/chat/deferred-completion/${(body as { request_id: string }).request_id}`;
      let answer = await server.ask("GET", path, undefined, apiKey);
      while (answer.status === 202) answer = await server.ask("GET", path, undefined, apiKey);
      expect(answer.status).toBe(200);
      expect((await server.ask("GET", path, undefined, apiKey)).status).toBe(404);
      const stored = await server.ask(
        "POST",
        "/v1/responses",
        { model: builtInModel, input: "Hello" },
        apiKey,
      );
      const { id } = stored.body as { id: string };
      expect((await server.ask("GET", `/v1/responses/${id}`, undefined, apiKey)).status).toBe(200);
      await server.key(side.teamId, { name: "made then" });
      asked += 3;
      manual.advance(1000);
    }
    await until(() => server.app.generator.active.size === 0);
    const runs = await server.app.runs.list(99);
    expect(runs.filter(({ state }) => state === "completed")).toHaveLength(asked);
    expect(await server.stores.ledger.verify()).toEqual([]);
    // Those that were made when are in one list all the same, each once.
    const seen: string[] = [];
    for (let token: string | undefined = ""; token !== undefined;) {
      const path = `/auth/teams/${side.teamId}/api-keys?pageSize=3&paginationToken=${token}`;
      const page = (await server.ask("GET", path)).body as {
        apiKeys: { apiKeyId: string }[];
        paginationToken?: string;
      };
      seen.push(...page.apiKeys.map(({ apiKeyId }) => apiKeyId));
      token = page.paginationToken;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe((await server.stores.keys.list(side.teamId)).length);
  });
});
