import { describe, expect, it } from "vitest";
import { createDeferredStore } from "../../src/jobs/deferred/store.js";
import { createJobStore } from "../../src/jobs/store.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { createWrites } from "../../src/store/writes.js";
import { aJob, aTeam, databaseOfTwoTeams, twoConnections } from "./records.js";
import { full, normal, recordedSynchronous, recordSynchronous, currentSynchronous } from "./synchronous.js";

const deferred = { id: "job-1", teamId: "team-1", userId: null, createTime: 1000 };

async function stores() {
  const database = await databaseOfTwoTeams();
  const [jobs, deferreds] = [createJobStore(database), createDeferredStore(database)];
  return { database, jobs, deferreds, writes: createWrites(database) };
}

describe("a commit", () => {
  it("changes several tables, and another connection sees all changes", async () => {
    const [one, other] = await twoConnections();
    const changes = [createJobStore(one).insertion(aJob()), createDeferredStore(one).insertion(deferred)];
    await createWrites(one).commit(changes);
    expect(await createJobStore(other).find("job-1")).toEqual(aJob());
    expect(await createDeferredStore(other).take("job-1", "team-1", 2000)).toEqual({ state: "pending" });
  });

  it("names the table of each write", async () => {
    const { jobs, deferreds } = await stores();
    const tables = [jobs.insertion(aJob()), deferreds.insertion(deferred)].map(({ table }) => table);
    expect(tables).toEqual(["jobs", "deferredCompletions"]);
  });

  it("undoes everything when a later write fails", async () => {
    const { jobs, deferreds, writes } = await stores();
    const changes = [jobs.insertion(aJob()), deferreds.insertion({ ...deferred, teamId: "nobody" })];
    await expect(writes.commit(changes)).rejects.toThrow(/FOREIGN KEY/);
    expect(await jobs.find("job-1")).toBeNull();
    await writes.commit([jobs.insertion(aJob()), deferreds.insertion(deferred)]);
    expect(await jobs.find("job-1")).toEqual(aJob());
  });

  it("executes its writes in order", async () => {
    const { jobs, writes } = await stores();
    await writes.commit([
      jobs.insertion(aJob()),
      jobs.removal("job-1"),
      jobs.insertion(aJob({ attempts: 3 })),
    ]);
    expect(await jobs.find("job-1")).toEqual(aJob({ attempts: 3 }));
  });

  it("waits for the disk, and statements after it do not", async () => {
    const { database, jobs, writes } = await stores();
    expect(await currentSynchronous(database)).toBe(normal);
    await writes.commit([jobs.insertion(aJob()), recordSynchronous(database)]);
    expect(await recordedSynchronous(database)).toBe(full);
    expect(await currentSynchronous(database)).toBe(normal);
  });

  it("that fails does not make later statements wait for the disk", async () => {
    const { database, jobs, writes } = await stores();
    await expect(writes.commit([jobs.insertion(aJob({ teamId: "nobody" }))])).rejects.toThrow(/FOREIGN KEY/);
    expect(await currentSynchronous(database)).toBe(normal);
  });

  it("without writes does nothing", async () => {
    const { database, writes } = await stores();
    await database.close();
    await expect(writes.commit([])).resolves.toBeUndefined();
  });

  it("rejects while a transaction is open on its connection", async () => {
    const { database, jobs, writes } = await stores();
    await database.kysely.transaction().execute(async () => {
      await expect(writes.commit([jobs.insertion(aJob())])).rejects.toThrow("another transaction is open");
    });
    expect(await jobs.find("job-1")).toBeNull();
    expect(await currentSynchronous(database)).toBe(normal);
  });

  it("is atomic among concurrent statements", async () => {
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
