import { describe, expect, it } from "vitest";
import { createApiKeyStore } from "../../src/store/api-keys.js";
import { createTeamStore } from "../../src/store/teams.js";
import { aKey, aTeam, temporaryDatabase } from "./records.js";

async function stores() {
  const database = await temporaryDatabase();
  return { database, teams: createTeamStore(database), keys: createApiKeyStore(database) };
}

describe("the table of teams", () => {
  it("gives back what was put in, in order of creation", async () => {
    const { teams } = await stores();
    const late = aTeam({ id: "a", createTime: 2000, billing: "prepaid", blocked: true });
    await teams.insert(late);
    await teams.insert(aTeam());
    expect(await teams.list()).toEqual([aTeam(), late]);
    expect(await teams.find("a")).toEqual(late);
    expect(await teams.find("b")).toBeNull();
  });

  it("refuses a second team of the same id", async () => {
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
    });
    expect(await keys.findByHash(new Uint8Array(32))).toBeNull();
    expect(await keys.find(key.id)).toEqual(key);
    expect(await keys.find("nobody")).toBeNull();
  });

  it("lists keys in order of creation, of one team or of all", async () => {
    const { teams, keys } = await stores();
    await teams.insert(aTeam());
    await teams.insert(aTeam({ id: "team-2" }));
    const [second, first] = [aKey({ createTime: 2000 }), aKey({ id: "key-2", hash: new Uint8Array(32) })];
    const other = aKey({ id: "key-3", hash: new Uint8Array(32).fill(1), teamId: "team-2", createTime: 1500 });
    for (const key of [second, first, other]) await keys.insert(key);
    expect(await keys.list("team-1")).toEqual([first, second]);
    expect(await keys.list(null)).toEqual([first, other, second]);
  });

  it("refuses a second key of the same hash or id, and a key of no team", async () => {
    const { teams, keys } = await stores();
    await teams.insert(aTeam());
    await keys.insert(aKey());
    await expect(keys.insert(aKey({ id: "key-2" }))).rejects.toMatchObject({ kind: "conflict" });
    await expect(keys.insert(aKey({ hash: new Uint8Array(32) }))).rejects.toMatchObject({ kind: "conflict" });
    await expect(keys.insert(aKey({ teamId: "nobody", id: "k", hash: new Uint8Array(32) }))).rejects.toThrow(
      /FOREIGN KEY/,
    );
    expect(await keys.list(null)).toEqual([aKey()]);
  });

  it("tells whether there was a key to delete", async () => {
    const { teams, keys } = await stores();
    await teams.insert(aTeam());
    await keys.insert(aKey());
    expect(await keys.delete("key-1")).toBe(true);
    expect(await keys.delete("key-1")).toBe(false);
    expect(await keys.findByHash(aKey().hash)).toBeNull();
  });
});
