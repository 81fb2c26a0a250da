import { describe, expect, it } from "vitest";
import { createDeferredStore } from "../../src/jobs/deferred/store.js";
import { createJobStore } from "../../src/jobs/store.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { createWrites } from "../../src/store/writes.js";
import { aJob, aTeam, databaseOfTwoTeams, twoConnections } from "./records.js";
import { full, normal, notedSynchronous, noteSynchronous, synchronousNow } from "./synchronous.js";

const deferred = { id: "job-1", teamId: "team-1", createTime: 1000 };

async function stores() {
  const database = await databaseOfTwoTeams();
  const [jobs, deferreds] = [createJobStore(database), createDeferredStore(database)];
  return { database, jobs, deferreds, writes: createWrites(database) };
}

describe("a commit", () => {
  it("makes the changes of several tables, and another connection sees all of them", async () => {
    const [one, other] = await twoConnections();
    const changes = [createJobStore(one).insertion(aJob()), createDeferredStore(one).insertion(deferred)];
    await createWrites(one).commit(changes);
    expect(await createJobStore(other).find("job-1")).toEqual(aJob());
    expect(await createDeferredStore(other).take("job-1", "team-1", 2000)).toEqual({ state: "pending" });
  });

  it("names the table of each change", async () => {
    const { jobs, deferreds } = await stores();
    const tables = [jobs.insertion(aJob()), deferreds.insertion(deferred)].map(({ table }) => table);
    expect(tables).toEqual(["jobs", "deferred_completions"]);
  });

  it("leaves nothing behind when a later change fails", async () => {
    const { jobs, deferreds, writes } = await stores();
    const changes = [jobs.insertion(aJob()), deferreds.insertion({ ...deferred, teamId: "nobody" })];
    await expect(writes.commit(changes)).rejects.toThrow(/FOREIGN KEY/);
    expect(await jobs.find("job-1")).toBeNull();
    await writes.commit([jobs.insertion(aJob()), deferreds.insertion(deferred)]);
    expect(await jobs.find("job-1")).toEqual(aJob());
  });

  it("makes its changes in order", async () => {
    const { jobs, writes } = await stores();
    await writes.commit([
      jobs.insertion(aJob()),
      jobs.removal("job-1"),
      jobs.insertion(aJob({ attempts: 3 })),
    ]);
    expect(await jobs.find("job-1")).toEqual(aJob({ attempts: 3 }));
  });

  it("waits for the disk, and what comes after it does not", async () => {
    const { database, jobs, writes } = await stores();
    expect(await synchronousNow(database)).toBe(normal);
    await writes.commit([jobs.insertion(aJob()), noteSynchronous(database)]);
    expect(await notedSynchronous(database)).toBe(full);
    expect(await synchronousNow(database)).toBe(normal);
  });

  it("that fails leaves what comes after it as quick as before", async () => {
    const { database, jobs, writes } = await stores();
    await expect(writes.commit([jobs.insertion(aJob({ teamId: "nobody" }))])).rejects.toThrow(/FOREIGN KEY/);
    expect(await synchronousNow(database)).toBe(normal);
  });

  it("of nothing does nothing", async () => {
    const { database, writes } = await stores();
    await database.close();
    await expect(writes.commit([])).resolves.toBeUndefined();
  });

  it("refuses a change that no store here has prepared, and makes none of the others", async () => {
    const { jobs, writes } = await stores();
    await expect(writes.commit([jobs.insertion(aJob()), { table: "jobs" }])).rejects.toThrow(
      "a change of 'jobs' was prepared by another store",
    );
    expect(await jobs.find("job-1")).toBeNull();
  });

  it("never joins a transaction that is open on its connection", async () => {
    const { database, jobs, writes } = await stores();
    await database.kysely.transaction().execute(async () => {
      await expect(writes.commit([jobs.insertion(aJob())])).rejects.toThrow("another transaction is open");
    });
    expect(await jobs.find("job-1")).toBeNull();
    expect(await synchronousNow(database)).toBe(normal);
  });

  it("stands between other statements that are under way at the same time, whole", async () => {
    const { database, jobs, writes } = await stores();
    const teams = createTeamStore(database);
    const count = 40;
    const seen: number[] = [];
    const pairs = Array.from({ length: count }, (_, index) => [
      teams.insert(aTeam({ id: `extra-${index}` })),
      writes.commit([jobs.insertion(aJob({ id: `a-${index}` })), jobs.insertion(aJob({ id: `b-${index}` }))]),
      jobs.count("deferred-completion").then((found) => void seen.push(found)),
    ]);
    await Promise.all(pairs.flat());
    expect(seen.filter((found) => found % 2 === 1)).toEqual([]);
    expect(seen).toHaveLength(count);
    expect(await jobs.count("deferred-completion")).toBe(2 * count);
    expect(await teams.list()).toHaveLength(count + 2);
  });
});
