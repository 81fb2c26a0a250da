import { describe, expect, it } from "vitest";
import { dayMs, everything, managed, now, opens, rfc3339, type Managed, type ToldKey } from "./managed.js";

describe("POST /auth/api-keys/{apiKeyId}/rotate", () => {
  const rotate = async (server: Managed, id: string, body: object = {}) =>
    (await server.ask("POST", `/auth/api-keys/${id}/rotate`, body)).body as ToldKey;

  it("gives a new secret at once, and lets the old one open for a day", async () => {
    const server = await managed();
    const made = await server.key(await server.team(), { acls: everything });
    const rotated = await rotate(server, made.apiKeyId);
    expect(rotated.apiKeyId).toBe(made.apiKeyId);
    expect(rotated.apiKey).not.toBe(made.apiKey);
    server.clock.advance(dayMs - 1);
    expect([await opens(server, made.apiKey), await opens(server, rotated.apiKey)]).toEqual([200, 200]);
    server.clock.advance(1);
    expect([await opens(server, made.apiKey), await opens(server, rotated.apiKey)]).toEqual([401, 200]);
  });

  it("ends the grace when it is told to, at most after 7 days, and with the next rotation", async () => {
    const server = await managed();
    const made = await server.key(await server.team(), { acls: everything });
    const until = (time: number) => ({ oldSecretExpireTime: rfc3339(time) });
    const path = `/auth/api-keys/${made.apiKeyId}/rotate`;
    expect(await server.ask("POST", path, until(now + 7 * dayMs + 1))).toMatchObject({
      status: 400,
      body: { message: "oldSecretExpireTime must be within 7 days." },
    });
    const second = await rotate(server, made.apiKeyId, until(now + 7 * dayMs));
    expect(await opens(server, made.apiKey)).toBe(200);
    const third = await rotate(server, made.apiKeyId, until(now - 1));
    const secrets = [made, second, third].map(({ apiKey }) => opens(server, apiKey));
    expect(await Promise.all(secrets)).toEqual([401, 401, 200]);
  });

  it("does not give an expired secret back its life", async () => {
    const server = await managed();
    const made = await server.key(await server.team(), {
      acls: everything,
      expireTime: rfc3339(now + 1000),
    });
    server.clock.advance(1000);
    const rotated = await rotate(server, made.apiKeyId, { expireTime: rfc3339(now + dayMs) });
    expect([await opens(server, made.apiKey), await opens(server, rotated.apiKey)]).toEqual([401, 200]);
  });
});
