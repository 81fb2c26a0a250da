import { describe, expect, it } from "vitest";
import { fileServer } from "../../../kit/server.js";
import { allAcls, statusWithKey } from "../../../kit/server/management.js";

const shared = fileServer({ accounts: "managed" });

describe("a key that the operator has blocked", () => {
  it("is rejected until the operator unblocks it, and is shown as blocked", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const { apiKey, apiKeyId, ...made } = await server.createKey(teamId, { acls: allAcls });
    expect(made).not.toHaveProperty("blocked");
    const put = async (blocked: boolean) =>
      (
        await server.request("PUT", `/auth/api-keys/${apiKeyId}`, {
          apiKey: { blocked },
          fieldMask: "blocked",
        })
      ).body;
    expect(await put(true)).toMatchObject({ blocked: true });
    expect(await statusWithKey(server, apiKey)).toBe(403);
    expect(await put(false)).not.toHaveProperty("blocked");
    expect(await statusWithKey(server, apiKey)).toBe(200);
    const { body } = await server.request("GET", `/audit/teams/${teamId}/events?eventFilter.query=blocked`);
    const descriptions = (body as { events: readonly { description: string }[] }).events;
    expect(descriptions.map(({ description }) => description)).toEqual([
      "Unblocked the API key 'laptop'",
      "Blocked the API key 'laptop'",
    ]);
  });

  it("E14: can be neither unblocked nor blocked by a management key of its team, which can change all other fields", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const { apiKey, apiKeyId } = await server.createKey(teamId, { acls: allAcls });
    const own = await server.createManagementKey({ teamId });
    const path = `/auth/api-keys/${apiKeyId}`;
    const put = (fields: object, key?: string) => server.request("PUT", path, { apiKey: fields }, key);
    const refused = {
      status: 403,
      body: { message: expect.stringContaining("block or unblock keys") as string },
    };
    expect(await put({ blocked: true }, own)).toMatchObject(refused);
    await put({ blocked: true });
    expect(await put({ blocked: false }, own)).toMatchObject(refused);
    expect(await server.request("PUT", path, { apiKey: {}, fieldMask: "blocked" }, own)).toMatchObject(
      refused,
    );
    expect((await put({ disabled: false, name: "y" }, own)).status).toBe(200);
    expect((await server.request("POST", `${path}/rotate`, {}, own)).status).toBe(200);
    expect(await statusWithKey(server, apiKey)).toBe(403);
  });
});
