import { describe, expect, it } from "vitest";
import { signInMember } from "../../console/pages.js";
import { type ManagedServer, startServer, fileServer } from "../../../kit/server.js";
import {
  type CreatedKey,
  allAcls,
  dayMs,
  now,
  rfc3339,
  statusWithKey,
} from "../../../kit/server/management.js";

const shared = fileServer({ accounts: "managed" });

describe("POST /auth/api-keys/{apiKeyId}/rotate", () => {
  const rotate = async (server: ManagedServer, id: string, body: object = {}) =>
    (await server.request("POST", `/auth/api-keys/${id}/rotate`, body)).body as CreatedKey;

  it("returns a new secret, and accepts the old one for a day", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const made = await server.createKey(await server.createTeam(), { acls: allAcls });
    const rotated = await rotate(server, made.apiKeyId);
    expect(rotated.apiKeyId).toBe(made.apiKeyId);
    expect(rotated.apiKey).not.toBe(made.apiKey);
    server.clock.jump(dayMs - 1);
    expect([await statusWithKey(server, made.apiKey), await statusWithKey(server, rotated.apiKey)]).toEqual([
      200, 200,
    ]);
    server.clock.advance(1);
    expect([await statusWithKey(server, made.apiKey), await statusWithKey(server, rotated.apiKey)]).toEqual([
      401, 200,
    ]);
  });

  it("ends the grace period at the given time, after at most 7 days, or with the next rotation", async () => {
    const server = shared();
    const made = await server.createKey(await server.createTeam(), { acls: allAcls });
    const until = (time: number) => ({ oldSecretExpireTime: rfc3339(time) });
    const path = `/auth/api-keys/${made.apiKeyId}/rotate`;
    expect(await server.request("POST", path, until(now + 7 * dayMs + 1))).toMatchObject({
      status: 400,
      body: { message: "oldSecretExpireTime must be within 7 days." },
    });
    const second = await rotate(server, made.apiKeyId, until(now + 7 * dayMs));
    expect(await statusWithKey(server, made.apiKey)).toBe(200);
    const third = await rotate(server, made.apiKeyId, until(now - 1));
    const secrets = [made, second, third].map(({ apiKey }) => statusWithKey(server, apiKey));
    expect(await Promise.all(secrets)).toEqual([401, 401, 200]);
  });

  it("does not reactivate an expired secret", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const made = await server.createKey(await server.createTeam(), {
      acls: allAcls,
      expireTime: rfc3339(now + 1000),
    });
    server.clock.advance(1000);
    const rotated = await rotate(server, made.apiKeyId, { expireTime: rfc3339(now + dayMs) });
    expect([await statusWithKey(server, made.apiKey), await statusWithKey(server, rotated.apiKey)]).toEqual([
      401, 200,
    ]);
  });

  it("gives the key of console sessions no secret, whoever asks", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const page = await signInMember(server, teamId, "member");
    expect((await page.send("GET", "/v1/models")).status).toBe(200);
    const [key] = await server.stores.keys.list(teamId);
    const path = `/auth/api-keys/${key?.id ?? ""}/rotate`;
    const message = expect.stringContaining("belongs to the console") as string;
    expect(await page.send("POST", path, {})).toMatchObject({ status: 403, body: { message } });
    expect(await server.request("POST", path, {})).toMatchObject({ status: 403, body: { message } });
    expect(await server.stores.keys.list(teamId)).toEqual([key]);
    expect((await page.send("GET", "/v1/models")).status).toBe(200);
  });
});
