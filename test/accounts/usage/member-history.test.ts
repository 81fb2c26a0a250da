import fc from "fast-check";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import type { Actor } from "../../../src/accounts/audit/event.js";
import { createRequestStore } from "../../../src/inference/requests/store.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { systemRandom } from "../../../src/system/clock.js";
import { casesOf } from "../../kit/setup/random-cases.js";
import { aRun } from "../../store/records.js";
import { emptyAccounts } from "../accounts.js";

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("create"), member: fc.nat(2), team: fc.nat(1) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("use"),
      key: fc.nat(20),
      tokens: fc.integer({ min: 1, max: 900 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("delete"), key: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("move"), member: fc.nat(2), team: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("leave"), member: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("forget"), count: fc.nat(3) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

type Accounts = Awaited<ReturnType<typeof emptyAccounts>>;

interface Key {
  readonly id: string;
  readonly name: string;
  readonly teamId: string;
  readonly memberId: string;
  isDeleted: boolean;
}

/** Two teams, three members of the first, and what they do. */
async function createWorld() {
  const accounts = await emptyAccounts();
  const teams = [await teamOf(accounts, "one"), await teamOf(accounts, "two")];
  const members: string[] = [];
  for (const name of ["mia", "max", "ida"])
    members.push(
      (
        await accounts.memberService.create(
          { teamId: teams[0] ?? "", email: `${name}@example.com` },
          cliActor,
        )
      ).id,
    );
  return { accounts, teams, members, keys: [] as Key[], used: new Map<string, number>() };
}

type World = Awaited<ReturnType<typeof createWorld>>;

async function teamOf({ teamService }: Accounts, name: string): Promise<string> {
  return (await teamService.create({ name, billing: "unmetered" }, cliActor)).id;
}

async function take({ accounts, teams, members, keys, used }: World, each: Step): Promise<void> {
  const { service, members: store, memberService, writes, database, clock } = accounts;
  const [memberId, teamId] = [
    "member" in each ? members[each.member] : "",
    "team" in each ? teams[each.team] : "",
  ];
  if (each.type === "create") {
    const actor: Actor = { id: "session", userId: memberId ?? "", teamId: null };
    const name = `key ${keys.length}`;
    const { key } = await service.create({ name, teamId: teamId ?? "" }, actor);
    keys.push({ id: key.id, name, teamId: key.teamId, memberId: key.userId, isDeleted: false });
  } else if (each.type === "move" || each.type === "leave") {
    const member = await store.find(memberId ?? "");
    if (member === null) return;
    if (each.type === "leave") await memberService.remove(member.id, cliActor);
    else await writes.commit([store.replacement(member, { ...member, teamId: teamId ?? null })]);
  } else if (each.type === "forget") {
    await createRequestStore(database).deleteBefore(clock.now() + 1, each.count);
  } else {
    const key = keys[each.key % Math.max(1, keys.length)];
    if (key === undefined || key.isDeleted) return;
    if (each.type === "delete") {
      await service.remove(key.id, cliActor);
      key.isDeleted = true;
    } else await use(accounts, used, key, each.tokens);
  }
}

async function use(
  { database, clock }: Accounts,
  used: Map<string, number>,
  key: Key,
  tokens: number,
): Promise<void> {
  const usage = {
    ...aRun().usage,
    promptTokens: 0,
    cachedTokens: 0,
    imageTokens: 0,
    completionTokens: tokens,
  };
  const run = aRun({
    ...{ id: systemRandom.id(), teamId: key.teamId, apiKeyId: key.id, usage, costTicks: tokens * 7 },
    ...{ state: "completed", startTime: clock.now(), endTime: clock.now() },
    budgeted: { userId: key.memberId, bound: { ticks: tokens * 7, tokens } },
    accepted: { createTime: clock.now(), streamed: false },
  });
  await createRunStore(database).insert(run, []);
  const name = `${key.teamId} ${key.memberId}`;
  used.set(name, (used.get(name) ?? 0) + tokens);
}

const query = {
  from: 0,
  to: Date.UTC(2030, 0),
  unit: null,
  order: "time",
  top: null,
  label: null,
  hosted: null,
  rowsMax: 1000,
} as const;

/** Returns the tokens that a report by member has, by team and member. */
async function reported({ accounts, teams }: World): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (const teamId of teams) {
    const { rows } = await accounts.usageReports.report({ ...query, teamId, by: ["member"] }, cliActor);
    for (const { group, usage, costTicks } of rows) {
      expect(group[0]?.name).toMatch(/@example\.com$/);
      expect(costTicks).toBe(BigInt(usage.completionTokens * 7));
      sums.set(`${teamId} ${group[0]?.id ?? ""}`, usage.completionTokens);
    }
  }
  return sums;
}

/** Returns what new budgets of the members count as spent. */
async function budgeted({ accounts, teams, members }: World): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (const teamId of teams)
    for (const memberId of members) {
      const name = { teamId, subject: "member", subjectId: memberId, period: "total" } as const;
      const budget = {
        ...name,
        hardTicks: null,
        softTicks: null,
        hardTokens: 1_000_000,
        softTokens: null,
        createTime: accounts.clock.now(),
      };
      await accounts.writes.commit(accounts.budgets.insertions(budget));
      const found = await accounts.budgets.find(name, accounts.clock.now());
      if (found !== null && found.spentTokens > 0) sums.set(`${teamId} ${memberId}`, found.spentTokens);
    }
  return sums;
}

it("M4: usage by member equals what budgets of members count, whatever becomes of keys, members and runs", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const world = await createWorld();
      for (const each of steps) await take(world, each);
      expect(await reported(world)).toEqual(world.used);
      expect(await budgeted(world)).toEqual(world.used);
      expect(await world.accounts.ledger.verify()).toEqual([]);
    }),
    { numRuns: casesOf(80) },
  );
});

it("M4: names of deleted keys and of removed members stay in usage, in exports and in the log of requests", async () => {
  const world = await createWorld();
  const { accounts, teams, members, keys } = world;
  const [teamId = "", memberId = ""] = [teams[0], members[0]];
  await take(world, { type: "create", member: 0, team: 0 });
  await take(world, { type: "use", key: 0, tokens: 5 });
  await take(world, { type: "delete", key: 0 });
  await take(world, { type: "leave", member: 0 });
  const { rows } = await accounts.usageReports.report({ ...query, teamId, by: ["key", "member"] }, cliActor);
  expect(rows.map(({ group }) => group)).toEqual([
    [
      { id: keys[0]?.id, name: "key 0" },
      { id: memberId, name: "mia@example.com" },
    ],
  ]);
  const top = { count: 1, measure: "cost" } as const;
  const highest = await accounts.usageReports.report({ ...query, teamId, by: ["key"], top }, cliActor);
  expect(highest.rows[0]?.group).toEqual([{ id: keys[0]?.id, name: "key 0" }]);
  const exported = [];
  const { pages } = await accounts.exports.open("usage", { teamId, from: null, to: null }, cliActor);
  for await (const page of pages) exported.push(...page);
  expect(exported).toMatchObject([{ api_key_name: "key 0" }]);
  const own: Actor = { id: "session", userId: memberId, teamId, ownKeysOnly: true };
  expect((await accounts.usageReports.report({ ...query, teamId, by: [] }, own)).total.runs).toBe(1);
  const all = {
    teamId,
    apiKeyId: null,
    userId: null,
    model: null,
    status: null,
    since: null,
    until: null,
    after: null,
    limit: 9,
  };
  const store = createRequestStore(accounts.database);
  for (const text of [null, "KEY 0"]) {
    const { requests } = await store.page({ ...all, text });
    expect(requests).toMatchObject([{ apiKeyId: keys[0]?.id, apiKeyName: "key 0" }]);
  }
});

it("M4: an API key keeps its owner and its team", async () => {
  const world = await createWorld();
  await take(world, { type: "create", member: 0, team: 0 });
  for (const column of ["user_id", "team_id"])
    await expect(
      sql`update api_keys set ${sql.ref(column)} = ${world.teams[1]}`.execute(world.accounts.database.kysely),
    ).rejects.toThrow("the team and the owner of an API key do not change");
});
