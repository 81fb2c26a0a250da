import { describe, expect, it } from "vitest";
import type { Write } from "../../../src/store/writes.js";
import { createMemberStore } from "../../../src/accounts/members/store.js";
import { createWrites } from "../../../src/store/writes.js";
import { aMember, databaseOfTwoTeams, twoConnections } from "../../store/records.js";

async function stores() {
  const database = await databaseOfTwoTeams();
  const [members, writes] = [createMemberStore(database), createWrites(database)];
  await writes.commit([members.insertion(aMember())]);
  const commit = (changes: readonly Write[]) => writes.commit(changes);
  return { members, commit };
}

const conflict = { kind: "conflict" };

describe("the table of members", () => {
  it("finds a member by id, e-mail address and team", async () => {
    const { members, commit } = await stores();
    const whole = aMember({ id: "m-2", teamId: null, email: "Größe@example.com", role: "member" });
    await commit([members.insertion(whole)]);
    expect(await members.list()).toEqual([whole, aMember()]);
    expect(await members.find("m-2")).toEqual(whole);
    expect(await members.findByEmail("GRÖSSE@EXAMPLE.COM")).toBeNull();
    expect(await members.findByEmail("GRÖßE@Example.COM")).toEqual(whole);
    expect(await members.findByEmail("gro\u0308ße@example.com")).toEqual(whole);
    expect(await members.page({ teamId: "team-1", after: null, limit: 9 })).toEqual([aMember()]);
    expect([
      await members.count(),
      await members.countOwners("team-1"),
      await members.countOwners(null),
    ]).toEqual([2, 1, 0]);
  });

  it("stores each e-mail address once, ignoring case", async () => {
    const { members, commit } = await stores();
    const other = aMember({ id: "m-2", teamId: "team-2", email: "grace@example.com" });
    await expect(commit([members.insertion({ ...other, email: "ADA@example.com" })])).rejects.toMatchObject(
      conflict,
    );
    await commit([members.insertion(other)]);
    const taken = members.replacement(other, { ...other, email: "Ada@Example.com" });
    await expect(commit([taken])).rejects.toMatchObject(conflict);
    expect(await members.find("m-2")).toEqual(other);
  });

  it("keeps a removed member for the audit log only, and frees their e-mail address", async () => {
    const { members, commit } = await stores();
    await commit([members.insertion(aMember({ id: "m-2", email: "grace@example.com" }))]);
    await commit([members.removal(aMember(), 5000)]);
    expect(await members.find("member-1")).toBeNull();
    expect(await members.findByEmail("ada@example.com")).toBeNull();
    expect((await members.list()).map(({ id }) => id)).toEqual(["m-2"]);
    expect(await members.findEver(["member-1", "nobody"])).toEqual([aMember()]);
    await expect(commit([members.removal(aMember(), 6000)])).rejects.toMatchObject(conflict);
    await commit([members.insertion(aMember({ id: "m-3" }))]);
    expect((await members.findByEmail("ada@example.com"))?.id).toBe("m-3");
  });

  it("keeps one owner when two connections each remove a different one", async () => {
    const [one, other] = await twoConnections();
    const [mine, theirs] = [createMemberStore(one), createMemberStore(other)];
    const second = aMember({ id: "m-2", email: "grace@example.com" });
    await createWrites(one).commit([mine.insertion(aMember()), mine.insertion(second)]);
    await createWrites(one).commit([mine.removal(aMember(), 1)]);
    const changes = [{ role: "admin" }, { teamId: null }] as const;
    const replacements = changes.map((change) => theirs.replacement(second, { ...second, ...change }));
    for (const late of [theirs.removal(second, 1), ...replacements])
      await expect(createWrites(other).commit([late])).rejects.toMatchObject(conflict);
    await createWrites(other).commit([theirs.replacement(second, { ...second, familyName: "Hopper" })]);
    expect(await mine.list()).toEqual([{ ...second, familyName: "Hopper" }]);
  });
});
