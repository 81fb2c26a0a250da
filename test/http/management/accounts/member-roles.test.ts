import { describe, expect, it } from "vitest";
import { type ManagedServer, fileServer } from "../../../kit/server.js";

const shared = fileServer({ accounts: "managed" });

/** Creates a team with a member of this role, and a management key of the member. */
async function memberOf(server: ManagedServer, role: string) {
  const teamId = await server.createTeam();
  const memberId = await server.createMember(teamId, { role });
  return { teamId, memberId, secret: await server.createManagementKey({ teamId, memberId }) };
}

describe("a member's management key", () => {
  it("E21: of a member gets 403 where the role does not suffice, even if the body is wrong or is not JSON", async () => {
    const server = shared();
    const { teamId, secret } = await memberOf(server, "member");
    const path = `/auth/teams/${teamId}/members`;
    expect(await server.request("POST", path, { email: 7 }, secret)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("role 'member': this endpoint needs 'owner'.") as string },
    });
    const headers = { authorization: `Bearer ${secret}`, "content-type": "text/plain" };
    const unread = await fetch(server.url + path, { method: "POST", headers, body: "not JSON" });
    expect(unread.status).toBe(403);
  });

  it("lists all keys of the team for an admin, and only the member's own keys for a member", async () => {
    const server = shared();
    const { teamId, memberId, secret } = await memberOf(server, "admin");
    const path = `/auth/teams/${teamId}/api-keys`;
    await server.request("POST", path, { name: "of the operator" });
    await server.request("POST", path, { name: "own" }, secret);
    const names = async () => {
      const { apiKeys } = (await server.request("GET", path, undefined, secret)).body as {
        apiKeys: readonly { name: string }[];
      };
      return apiKeys.map(({ name }) => name);
    };
    expect(await names()).toEqual(["of the operator", "own"]);
    await server.request("PUT", `/auth/members/${memberId}`, { member: { role: "member" } });
    expect(await names()).toEqual(["own"]);
  });

  it("E13: of a member makes and changes their own keys; another's key does not exist for it", async () => {
    const server = shared();
    const { teamId, memberId, secret } = await memberOf(server, "member");
    const made = await server.request("POST", `/auth/teams/${teamId}/api-keys`, { name: "own" }, secret);
    const { apiKeyId } = made.body as { apiKeyId: string };
    expect(made).toMatchObject({ status: 200, body: { teamId, userId: memberId } });
    const others = (await server.createKey(teamId)).apiKeyId;
    const requests = (id: string) =>
      [
        ["GET", `/auth/api-keys/${id}/propagation`, undefined],
        ["PUT", `/auth/api-keys/${id}`, { apiKey: { name: "mine" } }],
        ["POST", `/auth/api-keys/${id}/rotate`, {}],
        ["DELETE", `/auth/api-keys/${id}`, undefined],
      ] as const;
    for (const [method, path, body] of requests(others))
      expect(await server.request(method, path, body, secret)).toMatchObject({
        status: 404,
        body: { message: "Cannot find API key" },
      });
    for (const [method, path, body] of requests(apiKeyId))
      expect([path, (await server.request(method, path, body, secret)).status]).toEqual([path, 200]);
    expect(await server.stores.keys.find(others)).toMatchObject({ name: "laptop" });
  });
});
