import { aKey } from "../../kit/a-key.js";
import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../../src/accounts/authentication/authenticate-key.js";
import { hashSecret } from "../../../src/accounts/credentials/secret.js";
import type { ApiKey } from "../../../src/accounts/principals/api-key.js";
import type { Team } from "../../../src/accounts/principals/team.js";
import { aTeam } from "../../store/records.js";
import { emptyAccounts } from "../accounts.js";

const secret = "the-operators-own-key";

async function world(key: Partial<ApiKey> = {}, team: Partial<Team> = {}) {
  const { keys, teams, writes, clock, keyUse, used } = await emptyAccounts();
  await teams.insert(aTeam(team));
  await keys.insert(aKey({ hash: hashSecret(secret), ...key }));
  const authenticator = createAuthenticator({ keys, keyUse, clock });
  const authenticate = (presented: string | null, address = "127.0.0.1") =>
    authenticator.authenticate(presented, address);
  return { authenticate, authenticator, keys, writes, clock, used };
}

describe("a request is authenticated", () => {
  it("with a known key, and returns that key and its team", async () => {
    const { authenticate } = await world();
    expect(await authenticate(secret)).toMatchObject({
      key: aKey({ hash: hashSecret(secret) }),
      team: aTeam(),
    });
  });

  it("until the millisecond in which its key expires", async () => {
    const { authenticate, clock } = await world({ expireTime: 5000 });
    clock.time = 4999;
    expect((await authenticate(secret)).key.expireTime).toBe(5000);
    clock.time = 5000;
    await expect(authenticate(secret)).rejects.toMatchObject({
      kind: "permission_denied",
      message: "This API key has expired.",
    });
  });
});

describe("the address of the client", () => {
  const ipRanges = ["10.0.0.0/8"];

  it("is checked, and a request refused for it does not count as use of the key", async () => {
    const { authenticate, used } = await world({ ipRanges });
    await expect(authenticate(secret, "203.0.113.9")).rejects.toMatchObject({
      kind: "permission_denied",
      message: "This API key may not be used from this address.",
    });
    expect(used).toEqual([]);
    expect((await authenticate(secret, "::ffff:10.1.2.3")).key.ipRanges).toEqual(ipRanges);
    expect(used).toEqual([aKey().id]);
  });

  it("is not checked again when a deferred job starts", async () => {
    const { authenticator } = await world({ ipRanges });
    expect((await authenticator.readmit(aKey().id)).key.ipRanges).toEqual(ipRanges);
  });
});

describe("a deferred job is admitted again", () => {
  it("with the key of its request, as it is now", async () => {
    const { authenticator } = await world();
    expect(await authenticator.readmit(aKey().id)).toMatchObject({ key: { id: aKey().id } });
  });

  it("unless its key has expired", async () => {
    const { authenticator, clock } = await world({ expireTime: 5000 });
    clock.time = 5000;
    await expect(authenticator.readmit(aKey().id)).rejects.toMatchObject({ kind: "permission_denied" });
  });

  it("unless its key has been deleted", async () => {
    const { authenticator, keys, writes } = await world();
    await writes.commit([keys.removal(aKey({ hash: hashSecret(secret) }))]);
    await expect(authenticator.readmit(aKey().id)).rejects.toMatchObject({
      kind: "permission_denied",
      message: "The API key that asked for this has been deleted.",
    });
  });
});

describe("a request is refused", () => {
  it("without a credential", async () => {
    const { authenticate } = await world();
    await expect(authenticate(null)).rejects.toMatchObject({
      kind: "unauthenticated",
      message: expect.stringMatching(/^No credentials presented\. /) as string,
    });
  });

  it.each([
    ["an unknown key", "sk-abcdefghijklmno3Q", "Incorrect API key provided: sk***3Q. "],
    ["a short one, of which nothing is shown", "abcdefghijk", "Incorrect API key provided: ***. "],
    [
      "one that no terminal should print",
      `sk-\u001b[2J${"a".repeat(20)}`,
      "Incorrect API key provided: ***. ",
    ],
    [
      "a management key",
      `hm-${"a".repeat(54)}`,
      "Incorrect API key provided: hm***aa. This is a management key",
    ],
    ["a mistyped key", `hk-${"a".repeat(54)}`, "Incorrect API key provided: hk***aa. Its checksum is wrong"],
    ["one that is too long", "a".repeat(513), "Incorrect API key provided: aa***aa. It is too long"],
  ])("with %s", async (_, presented, message) => {
    const { authenticate } = await world();
    await expect(authenticate(presented)).rejects.toMatchObject({
      kind: "bad_credential",
      message: expect.stringContaining(message) as string,
    });
  });

  it.each<[string, Partial<ApiKey>, Partial<Team>]>([
    ["This API key is disabled.", { disabled: true }, {}],
    ["This API key is blocked. Please ask the operator of this server.", { blocked: true }, {}],
    ["Your team is blocked. Please ask the operator of this server.", {}, { blocked: true }],
  ])("where the key may not be used: %s", async (message, key, team) => {
    const { authenticate } = await world(key, team);
    await expect(authenticate(secret)).rejects.toMatchObject({ kind: "permission_denied", message });
  });

  it("E17: after one look-up, whether its key is unknown or disabled, and none when it is too long", async () => {
    const looked: number[] = [];
    const accounts = await emptyAccounts();
    const { clock, keyUse } = accounts;
    const hash = hashSecret("disabled-key-disabled");
    const disabled = { key: aKey({ disabled: true, hash, ipRanges: ["127.0.0.1"] }), team: aTeam() };
    const keys = {
      ...accounts.keys,
      findByHash: (hash: Uint8Array) => {
        looked.push(hash.length);
        return Promise.resolve(looked.length === 1 ? disabled : null);
      },
    };
    const authenticator = createAuthenticator({ keys, keyUse, clock });
    const authenticate = (presented: string) => authenticator.authenticate(presented, "127.0.0.1");
    await expect(authenticate("disabled-key-disabled")).rejects.toMatchObject({ kind: "permission_denied" });
    await expect(authenticate("unknown-key-unknown")).rejects.toMatchObject({ kind: "bad_credential" });
    await expect(authenticate("long".repeat(1000))).rejects.toMatchObject({ kind: "bad_credential" });
    expect(looked).toEqual([32, 32]);
  });
});
