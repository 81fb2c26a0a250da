import { describe, expect, it } from "vitest";

import { type ManagedServer, startServer } from "../../kit/server.js";
import { allAcls, now } from "../../kit/server/management.js";
import { builtInModel } from "../../kit/server/settings.js";
import { gate } from "../../kit/until.js";
import { signInMember, type Page } from "../console/pages.js";

const path = "/admin/overview";

async function ask(server: ManagedServer, key: string): Promise<number> {
  const body = { model: builtInModel, messages: [{ role: "user", content: "Hello" }] };
  return (await server.request("POST", "/v1/chat/completions", body, key)).status;
}

async function overview(server: ManagedServer, query = "", credential?: string): Promise<unknown> {
  return (await server.request("GET", path + query, undefined, credential)).body;
}

/** A team with credit, and one of its keys. */
async function createPaidTeam(server: ManagedServer, cents: number): Promise<{ id: string; key: string }> {
  const id = await server.createTeam();
  await server.request("POST", `/v1/billing/teams/${id}/prepaid/top-up`, { amount: { val: cents } });
  return {
    id,
    key: (await server.createKey(id, { acls: allAcls })).apiKey,
  };
}

describe("GET /admin/overview", () => {
  it("has what the server has done today, by team and in all", async () => {
    const server = await startServer({ accounts: "managed" });
    await server.request("PUT", `/admin/models/${builtInModel}`, { prices: { prompt: 1, completion: 1000 } });
    const { id, key } = await createPaidTeam(server, 500);
    expect(await ask(server, server.apiKey)).toBe(200);
    expect(await ask(server, key)).toBe(200);
    server.clock.advance(1000);
    const ofTeam = await overview(server, `?teamId=${id}`);
    expect(ofTeam).toMatchObject({
      teamId: id,
      memory: null,
      today: { from: "2026-11-21T00:00:00.000Z", requests: 1, failed: 0 },
      credits: [{ teamId: id, name: "research", isLow: false }],
    });
    const { today, credits, tokensPerSecond } = ofTeam as {
      today: { usd: string; tokens: number };
      credits: readonly { usd: string }[];
      tokensPerSecond: readonly number[];
    };
    expect(Number(today.usd)).toBeGreaterThan(0);
    expect(Number(today.usd) + Number(credits[0]?.usd)).toBeCloseTo(5, 9);
    expect(tokensPerSecond).toHaveLength(60);
    expect(tokensPerSecond.at(-1)).toBe(2);
    expect(await overview(server)).toMatchObject({
      teamId: null,
      memory: { processBytes: expect.any(Number) as number },
      today: { requests: 2 },
      models: [{ id: builtInModel, device: "cpu" }],
    });
  });

  it("shows runs that hold a slot, and forgets tokens after a minute", async () => {
    const held = gate();
    const server = await startServer({ accounts: "managed", engine: () => ["one", held.opened, " two"] });
    const answer = ask(server, server.apiKey);
    await expect.poll(() => overview(server)).toMatchObject({ running: 1, waiting: 0 });
    held.open();
    expect(await answer).toBe(200);
    server.clock.advance(61_000);
    const { running, tokensPerSecond } = (await overview(server)) as {
      running: number;
      tokensPerSecond: readonly number[];
    };
    expect([running, Math.max(...tokensPerSecond)]).toEqual([0, 0]);
  });

  it("counts failed runs, and says that credit is low", async () => {
    const server = await startServer({
      accounts: "managed",
      engine: () => ["one", new Error("out of luck")],
    });
    const { id, key } = await createPaidTeam(server, 50);
    expect(await ask(server, key)).toBe(500);
    expect(await overview(server, `?teamId=${id}`)).toMatchObject({
      today: { requests: 1, failed: 1 },
      credits: [{ teamId: id, usd: expect.stringMatching(/^0\.(50|49)/) as string, isLow: true }],
    });
    const later = new Date(now + 3_600_000).toISOString();
    server.clock.advance(2 * 3_600_000);
    expect(await overview(server, `?from=${later}`)).toMatchObject({ today: { requests: 0, failed: 0 } });
  });

  it("shows a member what the API keys that they created have done, and an admin what the team has", async () => {
    const server = await startServer({
      accounts: "managed",
      engine: () => ["one", new Error("out of luck")],
    });
    const { id, key } = await createPaidTeam(server, 500);
    const member = await signInMember(server, id, "member");
    const admin = await signInMember(server, id, "admin");
    const { body: own } = await member.send("POST", `/auth/teams/${id}/api-keys`, {
      name: "laptop",
      acls: allAcls,
    });
    await ask(server, key);
    await ask(server, key);
    await ask(server, (own as { apiKey: string }).apiKey);
    const today = async (page: Page) => ((await page.send("GET", path)).body as { today: object }).today;
    expect(await today(member)).toMatchObject({ requests: 1, failed: 1 });
    expect(await today(admin)).toMatchObject({ requests: 3, failed: 3 });
  });

  it("shows a key for one team that team only", async () => {
    const server = await startServer({ accounts: "managed" });
    await ask(server, server.apiKey);
    const teamId = await server.createTeam();
    const ofTeam = await server.createManagementKey({ teamId });
    expect(await overview(server, "", ofTeam)).toMatchObject({
      teamId,
      memory: null,
      today: { requests: 0, usd: "0.00" },
      credits: [{ teamId }],
    });
    const other = await server.createTeam("other");
    const refused = await server.request("GET", `${path}?teamId=${other}`, undefined, ofTeam);
    expect(refused.status).toBe(404);
  });
});
