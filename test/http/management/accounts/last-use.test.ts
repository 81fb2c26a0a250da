import { describe, expect, it } from "vitest";
import { type ManagedServer, startServer } from "../../../kit/server.js";
import { eventually } from "../../../kit/until.js";
import { allAcls, now, statusWithKey } from "../../../kit/server/management.js";

const minuteMs = 60_000;

/** Returns the last use of the only key of a team. */
async function received(server: ManagedServer, teamId: string): Promise<unknown> {
  const { body } = await server.request("GET", `/auth/teams/${teamId}/api-keys`);
  return (body as { apiKeys: readonly { lastUseTime?: string }[] }).apiKeys[0]?.lastUseTime;
}

describe("the last use of a key", () => {
  it("is accurate to the minute, reported within half a minute, and excludes rejected requests", async () => {
    const server = await startServer({ accounts: "managed" });
    const teamId = await server.createTeam();
    const { apiKey, apiKeyId } = await server.createKey(teamId, { acls: allAcls });
    server.clock.advance(90_000);
    expect(await received(server, teamId)).toBeUndefined();
    expect(await statusWithKey(server, apiKey)).toBe(200);
    expect(await received(server, teamId)).toBeUndefined();
    server.clock.advance(30_000);
    await eventually(async () => expect(await received(server, teamId)).toBe("2026-11-21T12:01:00.000000Z"));
    await server.request("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey: { disabled: true } });
    server.clock.advance(5 * minuteMs);
    expect(await statusWithKey(server, apiKey)).toBe(403);
    server.clock.advance(minuteMs);
    expect(await received(server, teamId)).toBe("2026-11-21T12:01:00.000000Z");
  });

  it("is stored when the server closes", async () => {
    const server = await startServer({ accounts: "managed" });
    const { apiKey, apiKeyId } = await server.createKey(await server.createTeam(), { acls: allAcls });
    await statusWithKey(server, apiKey);
    expect((await server.stores.keys.find(apiKeyId))?.lastUseTime).toBeNull();
    await server.app.close();
    expect((await server.stores.keys.find(apiKeyId))?.lastUseTime).toBe(now);
  });

  it("is reported for management keys as well", async () => {
    const server = await startServer({ accounts: "managed" });
    const secret = await server.createManagementKey({});
    const send = async () =>
      (await server.request("GET", "/auth/management-keys/validation", undefined, secret)).body;
    expect(await send()).not.toHaveProperty("lastUseTime");
    server.clock.advance(30_000);
    await eventually(async () =>
      expect(await send()).toMatchObject({ lastUseTime: "2026-11-21T12:00:00.000000Z" }),
    );
  });

  it("is not a change of the key: neither in the audit log nor in modifyTime, and blocks no change", async () => {
    const server = await startServer({ accounts: "managed" });
    const { keys, keyUses, writes, audit } = server.stores;
    const { apiKeyId } = await server.createKey(await server.createTeam());
    const before = await keys.find(apiKeyId);
    if (before === null) throw new Error("the key is not there");
    const query = { teamId: null, order: "ascending", after: null, from: null, to: null, limit: 99 } as const;
    const events = await audit.page(query);
    await keyUses.write(new Map([[apiKeyId, now + minuteMs]]));
    await writes.commit([keys.replacement(before, { ...before, name: "desk" })]);
    expect(await keys.find(apiKeyId)).toEqual({ ...before, name: "desk", lastUseTime: now + minuteMs });
    expect(await audit.page(query)).toEqual(events);
  });
});
