import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../src/accounts/authenticate.js";
import { hashSecret } from "../../src/accounts/secret.js";
import { aKey, aTeam } from "../store/records.js";
import { emptyWorld } from "./world.js";

describe("creating a key", () => {
  it("makes one for the first team that opens everything and never expires", async () => {
    const { service, keys, clock } = await emptyWorld();
    const { key, team, secret } = await service.create({ teamId: null, name: "laptop" });
    expect(team.name).toBe("default");
    expect(key).toMatchObject({
      name: "laptop",
      teamId: team.id,
      acls: ["api-key:endpoint:*", "api-key:model:*"],
      expireTime: null,
      createTime: clock.time,
    });
    expect(await createAuthenticator({ keys, clock }).authenticate(secret)).toEqual({ key, team });
  });

  it("stores no part of the secret but its hash and last four characters", async () => {
    const { service, keys } = await emptyWorld();
    const { secret } = await service.create({ teamId: null, name: "laptop" });
    const [stored] = await keys.list(null);
    expect(stored?.hash).toEqual(hashSecret(secret));
    expect(JSON.stringify({ ...stored, hash: null })).not.toContain(secret.slice(3, -4));
    expect(stored?.redacted).toBe(`hk-...${secret.slice(-4)}`);
  });

  it("makes one for the team, with the ACLs and the end that were wished for", async () => {
    const { service, teams, clock } = await emptyWorld();
    await teams.insert(aTeam());
    await teams.insert(aTeam({ id: "team-2", createTime: 9000 }));
    const wish = { teamId: "team-2", name: "x", acls: ["api-key:model:a:b/c"], expireTime: clock.time + 1 };
    expect((await service.create(wish)).key).toMatchObject(wish);
    expect((await service.create({ teamId: null, name: "y", acls: [] })).key).toMatchObject({
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
  ])("refuses %s, naming the field", async (_, change, param) => {
    const { service, keys } = await emptyWorld();
    await expect(service.create({ teamId: null, name: "laptop", ...change })).rejects.toMatchObject({
      kind: "invalid_value",
      param,
    });
    expect(await keys.list(null)).toEqual([]);
  });

  it("takes a name of 100 characters, whatever their size", async () => {
    const { service } = await emptyWorld();
    const name = "🔑".repeat(100);
    expect((await service.create({ teamId: null, name })).key.name).toBe(name);
  });

  it("refuses a team that does not exist", async () => {
    const { service } = await emptyWorld();
    await expect(service.create({ teamId: "nobody", name: "x" })).rejects.toMatchObject({
      kind: "not_found",
      param: "teamId",
    });
  });
});

describe("removing a key", () => {
  async function world() {
    const empty = await emptyWorld();
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

  it.each(["0193a7c2-aaaa-7001", "0193a7c2-a", "hk-...1111"])(
    "finds the one key that %s means",
    async (reference) => {
      const { service, keys, one, two, three } = await world();
      expect(await service.remove(reference)).toEqual(one);
      expect(await keys.list(null)).toEqual([two, three]);
    },
  );

  it.each([
    [
      "conflict",
      "0193a7c2",
      "More than one API key is called '0193a7c2': 0193a7c2-aaaa-7001, 0193a7c2-bbbb-7002, ",
    ],
    [
      "conflict",
      "hk-...2222",
      "More than one API key is called 'hk-...2222': 0193a7c2-bbbb-7002, 0193a7c2-cccc-7003.",
    ],
    ["not_found", "019", "Cannot find API key '019'."],
    ["not_found", "", "Cannot find API key ''."],
    ["not_found", "0193a7c2-dddd", "Cannot find API key '0193a7c2-dddd'."],
    ["not_found", `hk-${"s".repeat(50)}WXYZ`, "Cannot find API key 'hk-...WXYZ'."],
  ])("answers %s and removes nothing when '%s' is given", async (kind, reference, message) => {
    const { service, keys } = await world();
    await expect(service.remove(reference)).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(message) as string,
    });
    expect(await keys.list(null)).toHaveLength(3);
  });
});
