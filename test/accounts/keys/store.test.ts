import { aKey } from "../../kit/a-key.js";
import { describe, expect, it } from "vitest";
import { createApiKeyStore } from "../../../src/accounts/keys/store.js";
import { createTeamLimitStore } from "../../../src/accounts/limits/store.js";
import { createManagementKeyStore } from "../../../src/accounts/management-keys/store.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { createWrites } from "../../../src/store/writes.js";
import { aManagementKey, aTeam, temporaryDatabase } from "../../store/records.js";

async function stores() {
  const database = await temporaryDatabase();
  return { database, teams: createTeamStore(database), keys: createApiKeyStore(database) };
}

describe("the table of teams", () => {
  it("returns the inserted teams in order of creation", async () => {
    const { teams } = await stores();
    const late = aTeam({ id: "a", createTime: 2000, billing: "prepaid", blocked: true });
    await teams.insert(late);
    await teams.insert(aTeam());
    expect(await teams.list()).toEqual([aTeam(), late]);
    expect(await teams.find("a")).toEqual(late);
    expect(await teams.find("b")).toBeNull();
  });

  it("rejects a second team with the same id", async () => {
    const { teams } = await stores();
    await teams.insert(aTeam());
    await expect(teams.insert(aTeam({ name: "other" }))).rejects.toMatchObject({ kind: "conflict" });
  });
});

describe("the table of API keys", () => {
  it("finds a key and its team by the hash of its secret", async () => {
    const { teams, keys } = await stores();
    const key = aKey({
      disabled: true,
      blocked: true,
      expireTime: 9000,
      acls: [],
      name: "'; drop table teams --",
    });
    await teams.insert(aTeam({ blocked: true, billing: "prepaid" }));
    await keys.insert(aKey({ id: "other", hash: new Uint8Array(32).fill(8) }));
    await keys.insert(key);
    expect(await keys.findByHash(key.hash)).toEqual({
      key,
      team: aTeam({ blocked: true, billing: "prepaid" }),
      teamHas: { budgets: false, limits: [], credit: 0 },
    });
    expect(await keys.findByHash(new Uint8Array(32))).toBeNull();
    expect(await keys.find(key.id)).toEqual(key);
    expect(await keys.find("nobody")).toBeNull();
  });

  it("reads the limits of its team with it, unless they are more than 20", async () => {
    const { database, teams, keys } = await stores();
    const limits = createTeamLimitStore(database);
    const limitOn = (model: string) => ({ teamId: aTeam().id, model, qps: null, qpm: 7, tpm: 2 ** 53 - 1 });
    const models = Array.from({ length: 21 }, (_, index) => `model "${index}"`);
    await teams.insert(aTeam());
    await teams.insert(aTeam({ id: "team-2" }));
    await keys.insert(aKey());
    const read = async () => (await keys.findByHash(aKey().hash))?.teamHas?.limits;
    await createWrites(database).commit([limits.insertion({ ...limitOn("m"), teamId: "team-2" })]);
    expect(await read()).toEqual([]);
    await createWrites(database).commit(models.slice(1).map((model) => limits.insertion(limitOn(model))));
    expect(await read()).toHaveLength(20);
    expect(await read()).toEqual(expect.arrayContaining(models.slice(1).map(limitOn)));
    await createWrites(database).commit(models.slice(0, 1).map((model) => limits.insertion(limitOn(model))));
    expect(await read()).toBeNull();
  });

  it("lists the keys of one team or of all teams in order of creation", async () => {
    const { teams, keys } = await stores();
    await teams.insert(aTeam());
    await teams.insert(aTeam({ id: "team-2" }));
    const [second, first] = [aKey({ createTime: 2000 }), aKey({ id: "key-2", hash: new Uint8Array(32) })];
    const other = aKey({ id: "key-3", hash: new Uint8Array(32).fill(1), teamId: "team-2", createTime: 1500 });
    for (const key of [second, first, other]) await keys.insert(key);
    expect(await keys.list("team-1")).toEqual([first, second]);
    expect(await keys.list(null)).toEqual([first, other, second]);
  });

  it("rejects a second key with the same hash or id, and a key without a team", async () => {
    const { teams, keys } = await stores();
    await teams.insert(aTeam());
    await keys.insert(aKey());
    await expect(keys.insert(aKey({ id: "key-2" }))).rejects.toMatchObject({ kind: "conflict" });
    await expect(keys.insert(aKey({ hash: new Uint8Array(32) }))).rejects.toMatchObject({ kind: "conflict" });
    await expect(keys.insert(aKey({ teamId: "nobody", id: "k", hash: new Uint8Array(32) }))).rejects.toThrow(
      /foreign key/i,
    );
    expect(await keys.list(null)).toEqual([aKey()]);
  });

  it("finds a key by the secret before its last rotation, but prefers the key that has the secret now", async () => {
    const { teams, keys } = await stores();
    await teams.insert(aTeam());
    const [old, young] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const rotated = aKey({ hash: young, previousHash: old, previousExpireTime: 5 });
    await keys.insert(rotated);
    expect((await keys.findByHash(old))?.key).toEqual(rotated);
    const pinned = aKey({ id: "0", hash: old });
    await keys.insert(pinned);
    expect((await keys.findByHash(old))?.key).toEqual(pinned);
    expect((await keys.findByHash(young))?.key).toEqual(rotated);
  });

  it("changes and removes a key only if it was not changed since it was read", async () => {
    const { database, teams, keys } = await stores();
    const writes = createWrites(database);
    await teams.insert(aTeam());
    await keys.insert(aKey());
    const [renamed, limited] = [aKey({ name: "desk" }), aKey({ tpm: 7 })];
    await writes.commit([keys.replacement(aKey(), renamed)]);
    const late = [keys.replacement(aKey(), limited), keys.removal(aKey())];
    for (const write of late)
      await expect(writes.commit([write])).rejects.toMatchObject({ kind: "conflict" });
    expect(await keys.list(null)).toEqual([renamed]);
    await writes.commit([keys.removal(renamed)]);
    expect(await keys.findByHash(aKey().hash)).toBeNull();
  });

  it("changes a team only if it was not changed since it was read, and undoes the rest of a commit that conflicts", async () => {
    const { database, teams, keys } = await stores();
    await teams.insert(aTeam());
    const writes = createWrites(database);
    await writes.commit([teams.replacement(aTeam(), aTeam({ blocked: true }))]);
    const late = [keys.insertion(aKey()), teams.replacement(aTeam(), aTeam({ name: "x" }))];
    await expect(writes.commit(late)).rejects.toMatchObject({ kind: "conflict" });
    expect([await teams.list(), await keys.list(null)]).toEqual([[aTeam({ blocked: true })], []]);
  });
});

describe("the table of management keys", () => {
  it("finds a key and its team by the hash of its secret", async () => {
    const { database, teams } = await stores();
    const writes = createWrites(database);
    const keys = createManagementKeyStore(database);
    await teams.insert(aTeam());
    const [one, all] = [
      aManagementKey(),
      aManagementKey({ id: "m-2", teamId: null, hash: new Uint8Array(32) }),
    ];
    await writes.commit([keys.insertion(one), keys.insertion(all)]);
    expect(await keys.list()).toEqual([all, one]);
    expect(await keys.findByHash(one.hash)).toEqual({ key: one, team: aTeam(), member: null });
    expect(await keys.findByHash(all.hash)).toEqual({ key: all, team: null, member: null });
    await writes.commit([keys.removal(one)]);
    await expect(writes.commit([keys.removal(one)])).rejects.toMatchObject({ kind: "conflict" });
    expect(await keys.findByHash(one.hash)).toBeNull();
  });
});
