import { aKey } from "../../kit/a-key.js";
import { describe, expect, it } from "vitest";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { createKeyService } from "../../../src/accounts/keys/keys.js";
import { createAuthenticator } from "../../../src/accounts/authentication/authenticate-key.js";
import { hashSecret } from "../../../src/accounts/credentials/secret.js";
import { aTeam } from "../../store/records.js";
import { emptyAccounts } from "../accounts.js";

describe("creating a key", () => {
  it("creates a key for the first team with all permissions and without an expiry time", async () => {
    const { service, clock, ...empty } = await emptyAccounts();
    const { key, team, secret } = await service.create({ teamId: null, name: "laptop" }, cliActor);
    expect(team.name).toBe("default");
    expect(key).toMatchObject({
      name: "laptop",
      teamId: team.id,
      acls: ["api-key:endpoint:*", "api-key:model:*"],
      expireTime: null,
      createTime: clock.time,
    });
    const authenticator = createAuthenticator({ ...empty, clock });
    expect(await authenticator.authenticate(secret, "127.0.0.1")).toMatchObject({ key, team });
  });

  it("stores only the hash and the last four characters of the secret", async () => {
    const { service, keys } = await emptyAccounts();
    const { secret } = await service.create({ teamId: null, name: "laptop" }, cliActor);
    const [stored] = await keys.list(null);
    expect(stored?.hash).toEqual(hashSecret(secret));
    expect(JSON.stringify({ ...stored, hash: null })).not.toContain(secret.slice(3, -4));
    expect(stored?.redacted).toBe(`hk-...${secret.slice(-4)}`);
  });

  it("creates a key for the given team with the given ACLs and expiry time", async () => {
    const { service, teams, clock } = await emptyAccounts();
    await teams.insert(aTeam());
    await teams.insert(aTeam({ id: "team-2", createTime: 9000 }));
    const wish = { teamId: "team-2", name: "x", acls: ["api-key:model:a:b/c"], expireTime: clock.time + 1 };
    expect((await service.create(wish, cliActor)).key).toMatchObject(wish);
    expect((await service.create({ teamId: null, name: "y", acls: [] }, cliActor)).key).toMatchObject({
      teamId: "team-1",
      acls: [],
    });
  });

  it.each([
    ["no name", { name: "" }, "name"],
    ["a name of spaces", { name: "  " }, "name"],
    ["a name of 101 characters", { name: "é".repeat(101) }, "name"],
    ["a name that steers a terminal", { name: "a\u001b[2J" }, "name"],
    ["a name of two lines", { name: "a\nb" }, "name"],
    ["half a surrogate pair", { name: "a\ud800" }, "name"],
    ["an ACL of another kind", { acls: ["api-key:endpoint:*", "team:x"] }, "acls.1"],
    ["an endpoint that there is not", { acls: ["api-key:endpoint:chats"] }, "acls.0"],
    ["a model without a name", { acls: ["api-key:model:"] }, "acls.0"],
    ["too many ACLs", { acls: Array<string>(101).fill("api-key:model:*") }, "acls"],
    ["an end in the past", { expireTime: 1000 }, "expireTime"],
    ["an end that is no time", { expireTime: Number.NaN }, "expireTime"],
  ])("rejects %s, naming the field", async (_, change, param) => {
    const { service, keys } = await emptyAccounts();
    await expect(service.create({ teamId: null, name: "laptop", ...change }, cliActor)).rejects.toMatchObject(
      {
        kind: "invalid_value",
        param,
      },
    );
    expect(await keys.list(null)).toEqual([]);
  });

  it("accepts a name of 100 characters of any size", async () => {
    const { service } = await emptyAccounts();
    const name = "🔑".repeat(100);
    expect((await service.create({ teamId: null, name }, cliActor)).key.name).toBe(name);
  });

  it("rejects a team that does not exist", async () => {
    const { service } = await emptyAccounts();
    await expect(service.create({ teamId: "nobody", name: "x" }, cliActor)).rejects.toMatchObject({
      kind: "not_found",
      param: "teamId",
    });
  });
});

describe("resolving a reference to a key", () => {
  async function world() {
    const empty = await emptyAccounts();
    await empty.teams.insert(aTeam());
    const one = aKey({ id: "0193a7c2-aaaa-7001", redacted: "hk-...1111", hash: new Uint8Array(32).fill(1) });
    const two = aKey({ id: "0193a7c2-bbbb-7002", redacted: "hk-...2222", hash: new Uint8Array(32).fill(2) });
    const three = aKey({
      id: "0193a7c2-cccc-7003",
      redacted: "hk-...2222",
      hash: new Uint8Array(32).fill(3),
    });
    for (const key of [one, two, three]) await empty.keys.insert(key);
    return { ...empty, one, two, three };
  }

  it.each(["0193a7c2-aaaa-7001", "0193a7c2-a", "hk-...1111"])("finds the key by %s", async (reference) => {
    const { service, one } = await world();
    expect(await service.resolve(reference)).toEqual(one);
  });

  it.each([
    ["conflict", "0193a7c2", "More than one API key is called '0193a7c2': 0193a7c2-aaaa-7001 ("],
    ["conflict", "hk-...2222", "More than one API key is called 'hk-...2222': 0193a7c2-bbbb-7002 ("],
    ["not_found", "019", "Cannot find API key '019'."],
    ["not_found", "", "Cannot find API key ''."],
    ["not_found", "0193a7c2-dddd", "Cannot find API key '0193a7c2-dddd'."],
    ["not_found", `hk-${"s".repeat(50)}WXYZ`, "Cannot find API key 'hk-...WXYZ'."],
  ])("rejects with %s for '%s'", async (kind, reference, message) => {
    const { service } = await world();
    await expect(service.resolve(reference)).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(message) as string,
    });
  });
});

describe("two concurrent changes of one key", () => {
  /** A service whose first two reads end together, so that neither sees the other's change. */
  async function world() {
    const empty = await emptyAccounts();
    const { key } = await empty.service.create({ teamId: null, name: "laptop" }, cliActor);
    let readings = 0;
    let openBoth = (): void => undefined;
    const both = new Promise<void>((resolve) => (openBoth = resolve));
    const find = async (id: string) => {
      const found = await empty.keys.find(id);
      readings += 1;
      if (readings === 2) openBoth();
      await both;
      return found;
    };
    const service = createKeyService({ ...empty, keys: { ...empty.keys, find } });
    const log = async () => (await empty.auditLog.newest(99)).filter(({ objectId }) => objectId === key.id);
    return { ...empty, key, service, log };
  }

  it("are both made, and the audit log has the correct state before each", async () => {
    const { service, key, keys, log } = await world();
    const changes = [{ qps: 1 }, { tpm: 2 }];
    await Promise.all(changes.map((change) => service.update(key.id, change, cliActor)));
    expect(await keys.find(key.id)).toMatchObject({ qps: 1, tpm: 2 });
    const [second, first] = await log();
    expect(second?.before).toEqual(first?.after);
  });

  it("remove it once: the second finds nothing, and the audit log has one removal", async () => {
    const { service, key, log } = await world();
    const ends = await Promise.allSettled([1, 2].map(() => service.remove(key.id, cliActor)));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect((await log()).map(({ action }) => action)).toEqual(["DeleteApiKey", "CreateApiKey"]);
  });
});
