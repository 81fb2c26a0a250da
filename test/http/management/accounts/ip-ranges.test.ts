import { describe, expect, it } from "vitest";
import { type ManagedServer, startServer, fileServer } from "../../../kit/server.js";
import { allAcls, statusWithKey } from "../../../kit/server/management.js";

const shared = fileServer({ accounts: "managed" });

/** Status and message of a request with these headers. */
async function from(server: ManagedServer, secret: string, forwarded: string | null, path = "/v1/models") {
  const response = await fetch(server.url + path, {
    headers: {
      authorization: `Bearer ${secret}`,
      ...(forwarded === null ? {} : { "x-forwarded-for": forwarded }),
    },
  });
  const body = (await response.json()) as { error?: { message: string }; message?: string };
  return [response.status, body.error?.message ?? body.message];
}

const denied = [403, "This API key may not be used from this address."];
const letIn = [200, undefined];

describe("a key with an allow-list", () => {
  it("E6: is accepted only by the address of the socket, whatever X-Forwarded-For says", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const elsewhere = await server.createKey(teamId, { acls: allAcls, ipRanges: ["10.0.0.0/8"] });
    const here = await server.createKey(teamId, { acls: allAcls, ipRanges: ["10.0.0.0/8", "127.0.0.1"] });
    for (const forwarded of [null, "10.1.2.3", "127.0.0.1, 10.1.2.3"]) {
      expect(await from(server, elsewhere.apiKey, forwarded)).toEqual(denied);
      expect(await from(server, here.apiKey, forwarded)).toEqual(letIn);
    }
  });

  it("E6: is accepted behind a proxy by the address that the proxy saw, and not by a forged one", async () => {
    const server = await startServer({ accounts: "managed", environment: { HEARTH_TRUST_PROXY: "true" } });
    const { apiKey } = await server.createKey(await server.createTeam(), {
      acls: allAcls,
      ipRanges: ["10.0.0.0/8", "2001:db8::/32"],
    });
    const seen = ["10.1.2.3", "203.0.113.9, 10.1.2.3", "::ffff:10.1.2.3", "2001:db8::7", "2001:DB8:0:0::7"];
    for (const forwarded of seen) expect(await from(server, apiKey, forwarded)).toEqual(letIn);
    const others = ["203.0.113.9", "10.1.2.3, 203.0.113.9", "10.1.2.3, nonsense", "2001:db9::1", "10.1.2"];
    for (const forwarded of [null, ...others]) expect(await from(server, apiKey, forwarded)).toEqual(denied);
  });

  it("shows its ranges, and a change takes effect with the next request", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const made = await server.createKey(teamId, { acls: allAcls });
    expect(made).not.toHaveProperty("ipRanges");
    const path = `/auth/api-keys/${made.apiKeyId}`;
    const put = async (apiKey: object, fieldMask?: string) =>
      (await server.request("PUT", path, { apiKey, fieldMask })).body;
    const ranges = ["192.0.2.0/24", "2001:db8::1"];
    expect(await put({ ipRanges: ranges })).toMatchObject({ ipRanges: ranges });
    expect(await statusWithKey(server, made.apiKey)).toBe(403);
    expect(await put({ name: "still" })).toMatchObject({ ipRanges: ranges });
    expect(await put({ ip_ranges: [] }, "ip_ranges")).not.toHaveProperty("ipRanges");
    expect(await statusWithKey(server, made.apiKey)).toBe(200);
    const events = await server.request("GET", `/audit/teams/${teamId}/events?eventFilter.query=updated`);
    expect(events.body).toMatchObject({
      events: [
        { before: { ipRanges: ranges }, after: { ipRanges: null } },
        { before: { name: "laptop" }, after: { name: "still", ipRanges: ranges } },
        { before: { ipRanges: null }, after: { ipRanges: ranges } },
      ],
    });
  });

  it("E17: reveals nothing else about the key to other addresses", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const teamId = await server.createTeam();
    const ipRanges = ["192.0.2.1"];
    const made = [
      await server.createKey(teamId, { acls: allAcls, ipRanges, expireTime: "2026-11-21T12:00:01Z" }),
      await server.createKey(teamId, { acls: allAcls, ipRanges }),
    ];
    const change = { apiKey: { disabled: true, blocked: true } };
    await server.request("PUT", `/auth/api-keys/${made[1]?.apiKeyId}`, change);
    server.clock.advance(2000);
    for (const { apiKey } of made) expect(await from(server, apiKey, null)).toEqual(denied);
  });

  it.each([
    [["10.0.0.0/33"], "ipRanges.0 must be an IP address"],
    [["10.0.0.1", "host.example"], "ipRanges.1 must be an IP address"],
    [["10.0.0"], "ipRanges.0 must be an IP address"],
    [["10.0.0.1/08"], "ipRanges.0 must be an IP address"],
    [["fe80::1%eth0"], "ipRanges.0 must be an IP address"],
    [["::/129"], "ipRanges.0 must be an IP address"],
    [["::ffff:0:0/95"], "ipRanges.0 must be an IP address"],
    [["any"], "ipRanges.0 must be an IP address"],
    [Array.from({ length: 101 }, () => "10.0.0.1"), "ipRanges must not be more than 100"],
  ])("is rejected with %j", async (ipRanges, message) => {
    const server = shared();
    const path = `/auth/teams/${await server.createTeam()}/api-keys`;
    expect(await server.request("POST", path, { name: "x", ipRanges })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(message) as string },
    });
  });
});

it("a management key with an allow-list is accepted only from there, and shows its ranges", async () => {
  const server = await startServer({ accounts: "managed", environment: { HEARTH_TRUST_PROXY: "true" } });
  const secret = await server.createManagementKey({ ipRanges: ["10.0.0.1"] });
  const path = "/auth/management-keys/validation";
  const message = "This management key may not be used from this address.";
  expect(await from(server, secret, "10.0.0.2", path)).toEqual([403, message]);
  expect(await from(server, secret, "10.0.0.1", path)).toEqual(letIn);
  const response = await fetch(server.url + path, {
    headers: { authorization: `Bearer ${secret}`, "x-forwarded-for": "10.0.0.1" },
  });
  expect(await response.json()).toMatchObject({ ipRanges: ["10.0.0.1"] });
});
