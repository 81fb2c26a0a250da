import { describe, expect, it } from "vitest";
import { everything, managed, opens } from "./managed.js";

describe("a key that the operator has blocked", () => {
  it("opens nothing until the operator unblocks it, and is told as blocked", async () => {
    const server = await managed();
    const teamId = await server.team();
    const { apiKey, apiKeyId, ...made } = await server.key(teamId, { acls: everything });
    expect(made).not.toHaveProperty("blocked");
    const put = async (blocked: boolean) =>
      (await server.ask("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey: { blocked }, fieldMask: "blocked" }))
        .body;
    expect(await put(true)).toMatchObject({ blocked: true });
    expect(await opens(server, apiKey)).toBe(403);
    expect(await put(false)).not.toHaveProperty("blocked");
    expect(await opens(server, apiKey)).toBe(200);
    const { body } = await server.ask("GET", `/audit/teams/${teamId}/events?eventFilter.query=blocked`);
    const descriptions = (body as { events: readonly { description: string }[] }).events;
    expect(descriptions.map(({ description }) => description)).toEqual([
      "Unblocked the API key 'laptop'",
      "Blocked the API key 'laptop'",
    ]);
  });

  it("E14: is not unblocked, nor another blocked, by a key of its team, which may change all else of it", async () => {
    const server = await managed();
    const teamId = await server.team();
    const { apiKey, apiKeyId } = await server.key(teamId, { acls: everything });
    const own = await server.manager({ teamId });
    const path = `/auth/api-keys/${apiKeyId}`;
    const put = (fields: object, key?: string) => server.ask("PUT", path, { apiKey: fields }, key);
    const refused = {
      status: 403,
      body: { message: expect.stringContaining("block or unblock keys") as string },
    };
    expect(await put({ blocked: true }, own)).toMatchObject(refused);
    await put({ blocked: true });
    expect(await put({ blocked: false }, own)).toMatchObject(refused);
    expect(await server.ask("PUT", path, { apiKey: {}, fieldMask: "blocked" }, own)).toMatchObject(refused);
    expect((await put({ disabled: false, name: "y" }, own)).status).toBe(200);
    expect((await server.ask("POST", `${path}/rotate`, {}, own)).status).toBe(200);
    expect(await opens(server, apiKey)).toBe(403);
  });
});
