import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.js";
import { startServer } from "../../kit/server.js";
import { allAcls, now } from "../../kit/server/management.js";
import { builtInModel } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { createTestTeam } from "./world.js";

describe("F11: a clock that jumps", () => {
  it("by an hour, a year and back causes no rejection, runs each job once, and keeps the ledger correct", async () => {
    const manual = createManualClock(now);
    const jump = { ms: 0 };
    const clock: Clock = { ...manual, now: () => manual.now() + jump.ms };
    const server = await startServer({ accounts: "managed", clock });
    const side = await createTestTeam(server, "ours");
    const { apiKey } = await server.createKey(side.teamId, { acls: allAcls, qpm: 1000, tpm: "1000000" });
    const chat = { model: builtInModel, messages: [{ role: "user", content: "Hello" }] };
    const hour = 3_600_000;
    let sent = 0;
    for (const ms of [0, -hour, hour, -24 * 365 * hour, 24 * 365 * hour, 1, -1, 0]) {
      jump.ms = ms;
      expect((await server.request("POST", "/v1/chat/completions", chat, apiKey)).status).toBe(200);
      const { body } = await server.request(
        "POST",
        "/v1/chat/completions",
        { ...chat, deferred: true },
        apiKey,
      );
      const path = `/v1/chat/deferred-completion/${(body as { request_id: string }).request_id}`;
      let answer = await server.request("GET", path, undefined, apiKey);
      while (answer.status === 202) answer = await server.request("GET", path, undefined, apiKey);
      expect(answer.status).toBe(200);
      expect((await server.request("GET", path, undefined, apiKey)).status).toBe(404);
      const stored = await server.request(
        "POST",
        "/v1/responses",
        { model: builtInModel, input: "Hello" },
        apiKey,
      );
      const { id } = stored.body as { id: string };
      expect((await server.request("GET", `/v1/responses/${id}`, undefined, apiKey)).status).toBe(200);
      await server.createKey(side.teamId, { name: "made then" });
      sent += 3;
      manual.advance(1000);
    }
    await until(() => server.app.liveRuns.size === 0);
    const runs = await server.app.runs.list(99);
    expect(runs.filter(({ state }) => state === "completed")).toHaveLength(sent);
    expect(await server.stores.ledger.verify()).toEqual([]);
    // A list contains each object once, whenever it was created.
    const seen: string[] = [];
    for (let token: string | undefined = ""; token !== undefined;) {
      const path = `/auth/teams/${side.teamId}/api-keys?pageSize=3&paginationToken=${token}`;
      const page = (await server.request("GET", path)).body as {
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
