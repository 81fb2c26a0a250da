import { sql } from "kysely";
import type { Job, JobKind } from "./job.js";
import type { Database } from "../store/database.js";
import { prepare, prepareBinding } from "../store/prepared.js";
import type { JobRow } from "../store/schema.js";
import { createWrite, type Write } from "../store/writes.js";
import { readTags, tagsText } from "./tags.js";

const columns = [
  "id",
  "kind",
  "team_id",
  "api_key_id",
  "endpoint",
  "attempts",
  "lease_until",
  "create_time",
  "body",
  "tags",
] as const;

export type JobStore = ReturnType<typeof createJobStore>;

/**
 * The table of queued jobs. A job in flight is leased: its worker renews the lease, and a job whose worker died is claimed again when
 * the lease has expired. One statement claims a job, so that two workers never get the same one.
 */
export function createJobStore(database: Database) {
  const { kysely } = database;
  const insertRow = prepareBinding(columns, (row: JobRow) => kysely.insertInto("jobs").values(row));
  const deleteRow = prepareBinding(["id"], ({ id }: { id: string }) =>
    kysely.deleteFrom("jobs").where("id", "=", id),
  );
  const claimRow = prepareClaim(database);
  const claimRowById = prepareClaimById(database);
  const renewRows = prepareRenew(database);
  return {
    insertion: (job: Job): Write => createWrite("jobs", insertRow(toRow(job))),
    /** Removes a job that is done; does nothing when it is not in the queue. */
    removal: (id: string): Write => createWrite("jobs", deleteRow({ id })),
    /**
     * Claims the oldest job of the kind that is not leased, leases it until `leaseUntil` and counts the attempt; null when there is none.
     */
    async claim(kind: JobKind, now: number, leaseUntil: number): Promise<Job | null> {
      const row = (await claimRow({ kind, now, leaseUntil })).rows[0];
      return row === undefined ? null : fromRow(row);
    },
    /** Claims the job in the same way; null when it is leased or not in the queue. */
    async claimById(id: string, now: number, leaseUntil: number): Promise<Job | null> {
      const row = (await claimRowById({ id, now, leaseUntil })).rows[0];
      return row === undefined ? null : fromRow(row);
    },
    /** Extends the leases of jobs. */
    async renew(ids: readonly string[], leaseUntil: number): Promise<void> {
      await renewRows({ ids: JSON.stringify(ids), leaseUntil });
    },
    ...createReleases(database),
    ...createReads(database),
  };
}

function createReads(database: Database) {
  const { kysely } = database;
  return {
    /**
     * Returns the jobs with an attempt that counts, those with fewest first, then the oldest. When no job is in flight, these were in
     * flight when a process died.
     */
    attempted: () => attempted(database),
    async find(id: string): Promise<Job | null> {
      const row = await kysely.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    /** Whether a worker has the job, or it is postponed. */
    async isLeased(id: string, now: number): Promise<boolean> {
      const leased = kysely
        .selectFrom("jobs")
        .select("id")
        .where("id", "=", id)
        .where("lease_until", ">", now);
      return (await leased.executeTakeFirst()) !== undefined;
    },
    async count(kind: JobKind): Promise<number> {
      const { count } = await kysely
        .selectFrom("jobs")
        .select((job) => job.fn.countAll<number>().as("count"))
        .where("kind", "=", kind)
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

function createReleases({ kysely }: Database) {
  return {
    /** Ends the lease of a job that was not done: the attempt does not count. */
    async release(id: string): Promise<void> {
      await kysely
        .updateTable("jobs")
        .set((job) => ({ lease_until: null, attempts: job("attempts", "-", 1) }))
        .where("id", "=", id)
        .where("lease_until", "is not", null)
        .execute();
    },
    /** Keeps a job that was not done from starting before a time: the attempt does not count. */
    async postpone(id: string, until: number): Promise<void> {
      await kysely
        .updateTable("jobs")
        .set((job) => ({ lease_until: until, attempts: job("attempts", "-", 1) }))
        .where("id", "=", id)
        .where("lease_until", "is not", null)
        .execute();
    },
    /** Returns the write that ends the leases of a node that has ended. */
    releaseOf: (node: number): Write =>
      createWrite(
        "jobs",
        sql`update jobs set lease_until = null where node_id = ${node} and lease_until is not null`.compile(
          kysely,
        ),
      ),
    /** Ends every lease of the kind without a node; called at start, when none of these jobs is in flight. */
    async releaseAll(kind: JobKind): Promise<void> {
      await kysely
        .updateTable("jobs")
        .set({ lease_until: null })
        .where("kind", "=", kind)
        .where("lease_until", "is not", null)
        .where(sql<boolean>`node_id is null`)
        .execute();
    },
  };
}

interface Claim {
  readonly kind: Job["kind"];
  readonly now: number;
  readonly leaseUntil: number;
}

function prepareClaim({ kysely, dialect }: Database) {
  return prepare(kysely, ["kind", "now", "leaseUntil"], ({ kind, now, leaseUntil }: Claim) =>
    kysely
      .updateTable("jobs")
      .set((job) => ({ lease_until: leaseUntil, attempts: job("attempts", "+", 1) }))
      .where("id", "=", (row) =>
        row
          .selectFrom("jobs")
          .select("id")
          .where("kind", "=", kind)
          .where((job) => job.or([job("lease_until", "is", null), job("lease_until", "<=", now)]))
          .orderBy("create_time")
          .orderBy("id")
          .limit(1)
          .$if(dialect.skipsLocked, (oldest) => oldest.forUpdate().skipLocked()),
      )
      .returningAll(),
  );
}

function prepareClaimById({ kysely }: Database) {
  return prepare(
    kysely,
    ["id", "now", "leaseUntil"],
    ({ id, now, leaseUntil }: Omit<Claim, "kind"> & { id: string }) =>
      kysely
        .updateTable("jobs")
        .set((job) => ({ lease_until: leaseUntil, attempts: job("attempts", "+", 1) }))
        .where("id", "=", id)
        .where((job) => job.or([job("lease_until", "is", null), job("lease_until", "<=", now)]))
        .returningAll(),
  );
}

function prepareRenew({ kysely, dialect }: Database) {
  return prepare(kysely, ["ids", "leaseUntil"], ({ ids, leaseUntil }: { ids: string; leaseUntil: number }) =>
    kysely
      .updateTable("jobs")
      .set({ lease_until: leaseUntil })
      .where("id", "in", sql<string>`${dialect.listOf(ids)}`)
      .where("lease_until", "is not", null),
  );
}

function toRow(job: Job): JobRow {
  return {
    id: job.id,
    kind: job.kind,
    team_id: job.teamId,
    api_key_id: job.apiKeyId,
    endpoint: job.endpoint,
    attempts: job.attempts,
    lease_until: null,
    create_time: job.createTime,
    body: job.body,
    tags: tagsText(job.tags),
  };
}

function fromRow(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    teamId: row.team_id,
    apiKeyId: row.api_key_id,
    endpoint: row.endpoint,
    body: row.body,
    attempts: row.attempts,
    createTime: row.create_time,
    tags: readTags(row.tags),
  };
}

function attempted({ kysely }: Database): Promise<readonly Pick<Job, "id" | "kind">[]> {
  return (
    kysely
      .selectFrom("jobs")
      .select(["id", "kind"])
      // A literal, because SQLite does not use the partial index for a parameter.
      .where("attempts", ">", sql.lit(0))
      .orderBy("attempts")
      .orderBy("create_time")
      .orderBy("id")
      .execute()
  );
}
