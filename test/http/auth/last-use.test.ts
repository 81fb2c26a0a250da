import { describe, expect, it } from "vitest";
import { everything, managed, now, opens, type Managed } from "./managed.js";

const minuteMs = 60_000;

/** When the plane says that a team's only key was last used. */
async function told(server: Managed, teamId: string): Promise<unknown> {
  const { body } = await server.ask("GET", `/auth/teams/${teamId}/api-keys`);
  return (body as { apiKeys: readonly { lastUseTime?: string }[] }).apiKeys[0]?.lastUseTime;
}

describe("when a key was last used", () => {
  it("is told to the minute, within half a minute, and not of requests that were refused", async () => {
    const server = await managed();
    const teamId = await server.team();
    const { apiKey, apiKeyId } = await server.key(teamId, { acls: everything });
    server.clock.advance(90_000);
    expect(await told(server, teamId)).toBeUndefined();
    expect(await opens(server, apiKey)).toBe(200);
    expect(await told(server, teamId)).toBeUndefined();
    server.clock.advance(30_000);
    expect(await told(server, teamId)).toBe("2026-11-21T12:01:00.000000Z");
    await server.ask("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey: { disabled: true } });
    server.clock.advance(5 * minuteMs);
    expect(await opens(server, apiKey)).toBe(403);
    server.clock.advance(minuteMs);
    expect(await told(server, teamId)).toBe("2026-11-21T12:01:00.000000Z");
  });

  it("is written down when the server closes", async () => {
    const server = await managed();
    const { apiKey, apiKeyId } = await server.key(await server.team(), { acls: everything });
    await opens(server, apiKey);
    expect((await server.stores.keys.find(apiKeyId))?.lastUseTime).toBeNull();
    await server.app.close();
    expect((await server.stores.keys.find(apiKeyId))?.lastUseTime).toBe(now);
  });

  it("is told of management keys as well", async () => {
    const server = await managed();
    const secret = await server.manager({});
    const ask = async () =>
      (await server.ask("GET", "/auth/management-keys/validation", undefined, secret)).body;
    expect(await ask()).not.toHaveProperty("lastUseTime");
    server.clock.advance(30_000);
    expect(await ask()).toMatchObject({ lastUseTime: "2026-11-21T12:00:00.000000Z" });
  });

  it("is no change of the key: not in the audit log, nor in its modifyTime, and it hinders none", async () => {
    const server = await managed();
    const { keys, keyUses, writes, audit } = server.stores;
    const { apiKeyId } = await server.key(await server.team());
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
