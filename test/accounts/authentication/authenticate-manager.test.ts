import { describe, expect, it } from "vitest";
import { createManagerAuthenticator } from "../../../src/accounts/authentication/authenticate-manager.js";
import { hashSecret } from "../../../src/accounts/credentials/secret.js";
import type { ManagementKey } from "../../../src/accounts/principals/management-key.js";
import type { Team } from "../../../src/accounts/principals/team.js";
import { aManagementKey, aTeam } from "../../store/records.js";
import { emptyAccounts } from "../accounts.js";

const secret = "the-operators-management-key";
const hash = hashSecret(secret);

async function world(change: Partial<ManagementKey> = {}, team: Partial<Team> = {}) {
  const empty = await emptyAccounts();
  await empty.teams.insert(aTeam(team));
  await empty.writes.commit([empty.managementKeys.insertion(aManagementKey({ hash, ...change }))]);
  const managers = createManagerAuthenticator(empty);
  const authenticate = (presented: string | null, address = "127.0.0.1") =>
    managers.authenticate(presented, address);
  return { ...empty, authenticate };
}

describe("a manager is authenticated", () => {
  it("with the key and its team", async () => {
    const { authenticate } = await world();
    expect(await authenticate(secret)).toEqual({
      key: aManagementKey({ hash }),
      team: aTeam(),
      member: null,
    });
  });

  it("with a key of all teams, also while a team is blocked", async () => {
    const { authenticate } = await world({ teamId: null }, { blocked: true });
    expect(await authenticate(secret)).toEqual({
      key: aManagementKey({ hash, teamId: null }),
      team: null,
      member: null,
    });
  });

  it("until the millisecond in which the key expires", async () => {
    const { authenticate, clock } = await world({ expireTime: 5000 });
    clock.time = 4999;
    expect((await authenticate(secret)).key.expireTime).toBe(5000);
    clock.time = 5000;
    await expect(authenticate(secret)).rejects.toMatchObject({
      kind: "permission_denied",
      message: "This management key has expired.",
    });
  });
});

describe("a manager is refused", () => {
  it.each([
    ["without a credential", null, "unauthenticated", /^No credentials presented/],
    ["with an API key", `hk-${"a".repeat(54)}`, "bad_credential", /This is an API key: it opens \/v1/],
    [
      "with an unknown key",
      "sk-abcdefghijklmno3Q",
      "bad_credential",
      /^Incorrect management key provided: sk\*\*\*3Q/,
    ],
    ["with a mistyped key", `hm-${"a".repeat(54)}`, "bad_credential", /Its checksum is wrong/],
    ["with one that is too long", "a".repeat(513), "bad_credential", /It is too long/],
  ])("%s", async (_, presented, kind, message) => {
    const { authenticate } = await world();
    await expect(authenticate(presented)).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message) as string,
    });
  });

  it("when its team is blocked", async () => {
    const { authenticate } = await world({}, { blocked: true });
    await expect(authenticate(secret)).rejects.toMatchObject({ kind: "permission_denied" });
  });

  it("E17: after one query for one hash, whether the key is unknown, expired or of a blocked team", async () => {
    const { clock, keyUse, managementKeys } = await emptyAccounts();
    const found = [
      null,
      { key: aManagementKey({ expireTime: 1 }), team: aTeam(), member: null },
      { key: aManagementKey({ ipRanges: ["10.0.0.1"] }), team: aTeam(), member: null },
      { key: aManagementKey(), team: aTeam({ blocked: true }), member: null },
    ];
    for (const manager of found) {
      const looked: number[] = [];
      const findByHash = (presented: Uint8Array) => {
        looked.push(presented.length);
        return Promise.resolve(manager);
      };
      const store = { ...managementKeys, findByHash };
      const managers = createManagerAuthenticator({ managementKeys: store, keyUse, clock });
      await expect(managers.authenticate(secret, "127.0.0.1")).rejects.toThrow();
      expect(looked).toEqual([32]);
    }
  });
});
