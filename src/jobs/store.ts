import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { Job, JobKind } from "./job.js";
import type { Database } from "../store/database.js";
import type { Dialect } from "../store/dialect/dialect.js";
import { prepare, prepareBinding, prepareInsert } from "../store/prepared.js";
import type { NewRow, Row } from "../store/tables.js";
import { createWrite, type Write } from "../store/writes.js";
import { storedTags } from "./tags.js";

/** How many servers a job may end while they have others in flight, too; then it starts where it is alone. */
export const endedServersMax = 2;

export type JobStore = ReturnType<typeof createJobStore>;

/**
 * The table of queued jobs. A job in flight is leased: its worker renews the lease, and a job whose worker died is claimed again when
 * the lease has expired. Where servers share the database, a job in flight has the number of its server, too, and no other one claims
 * it: that it has ended is not decided by a clock (src/store/postgres/nodes.ts). One statement claims a job, so that two workers never
 * get the same one.
 */
export function createJobStore(database: Database) {
  const { kysely } = database;
  const insertRow = prepareInsert(kysely, "jobs");
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
    /** Removes a job whose run has ended. The commit fails with `conflict` when it is not in the queue: another server has ended it. */
    end: (id: string): Write => createWrite("jobs", deleteRow({ id }), 1),
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
     * Returns the jobs with that many attempts or more that count and that no other server has in flight, nor this one by a lease that
     * has not expired; those with fewest first, then the oldest. When this server has no job in flight, these were in flight when a
     * process died, or their end could not be written.
     */
    attempted: (attemptsMin: number, now: number) => attempted(database, attemptsMin, now),
    async find(id: string): Promise<Job | null> {
      const row = await kysely.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    /** Whether one of the servers that share the database has the job in flight. */
    async hasNode(id: string): Promise<boolean> {
      const held = kysely
        .selectFrom("jobs")
        .select("id")
        .where("id", "=", id)
        .where("nodeId", "is not", null);
      return (await held.executeTakeFirst()) !== undefined;
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

function createReleases({ kysely, dialect }: Database) {
  const leased = (id: string) =>
    kysely.updateTable("jobs").where("id", "=", id).where("leaseUntil", "is not", null).where(isOwn(dialect));
  return {
    /** Ends the lease of a job that was not done: the attempt does not count. */
    async release(id: string): Promise<void> {
      await leased(id)
        .set((job) => ({ leaseUntil: null, nodeId: null, attempts: job("attempts", "-", 1) }))
        .execute();
    },
    /** Keeps a job that was not done from starting before a time, on any server: the attempt does not count. */
    async postpone(id: string, until: number): Promise<void> {
      await leased(id)
        .set((job) => ({ leaseUntil: until, nodeId: null, attempts: job("attempts", "-", 1) }))
        .execute();
    },
    /** Returns the write that ends the leases of a server that has ended. */
    releaseOf: (node: number): Write =>
      createWrite(
        "jobs",
        kysely
          .updateTable("jobs")
          .set({ leaseUntil: null, nodeId: null })
          .where("nodeId", "=", node)
          .compile(),
      ),
    /** Ends every lease of the kind without a server; called at start, when none of these jobs is in flight. */
    async releaseAll(kind: JobKind): Promise<void> {
      await kysely
        .updateTable("jobs")
        .set({ leaseUntil: null })
        .where("kind", "=", kind)
        .where("leaseUntil", "is not", null)
        .where("nodeId", "is", null)
        .execute();
    },
  };
}

/** Whether it is this server that has the job in flight. */
function isOwn({ thisNode }: Dialect): RawBuilder<SqlBool> {
  return sql`node_id is not distinct from ${thisNode}`;
}

/**
 * Whether a job may be claimed: it is not leased, or its lease has expired, which ends no lease of another server. Where a server can
 * end while others go on, a job that ended two of them waits for one that has nothing else in flight: see `claimById`.
 */
function isFree({ isShared, thisNode }: Dialect, now: number, isAlone: boolean): RawBuilder<SqlBool> {
  const isFree = sql<SqlBool>`(lease_until is null or lease_until <= ${now})`;
  if (!isShared) return isFree;
  const isOfNoOther = sql<SqlBool>`(lease_until is null or node_id is null or node_id = ${thisNode})`;
  const attempts = isAlone ? sql`` : sql`and attempts < ${sql.lit(endedServersMax)}`;
  return sql`${isFree} and ${isOfNoOther} ${attempts}`;
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
      .set((job) => ({
        leaseUntil,
        nodeId: dialect.thisNode,
        attempts: job("attempts", "+", 1),
      }))
      .where("id", "=", (row) =>
        row
          .selectFrom("jobs")
          .select("id")
          .where("kind", "=", kind)
          .where(isFree(dialect, now, false))
          .orderBy("createTime")
          .orderBy("id")
          .limit(1)
          .$if(dialect.skipsLocked, (oldest) => oldest.forUpdate().skipLocked()),
      )
      .returningAll(),
  );
}

function prepareClaimById({ kysely, dialect }: Database) {
  return prepare(
    kysely,
    ["id", "now", "leaseUntil"],
    ({ id, now, leaseUntil }: Omit<Claim, "kind"> & { id: string }) =>
      kysely
        .updateTable("jobs")
        .set((job) => ({
          leaseUntil,
          nodeId: dialect.thisNode,
          attempts: job("attempts", "+", 1),
        }))
        .where("id", "=", id)
        .where(isFree(dialect, now, true))
        .returningAll(),
  );
}

function prepareRenew({ kysely, dialect }: Database) {
  return prepare(kysely, ["ids", "leaseUntil"], ({ ids, leaseUntil }: { ids: string; leaseUntil: number }) =>
    kysely
      .updateTable("jobs")
      .set({ leaseUntil })
      .where("id", "in", sql<string>`${dialect.selectStrings(ids)}`)
      .where("leaseUntil", "is not", null)
      .where(isOwn(dialect)),
  );
}

function toRow(job: Job): NewRow<"jobs"> {
  return { ...job, leaseUntil: null, tags: storedTags(job.tags) };
}

function fromRow({ leaseUntil: _, nodeId: __, tags, ...job }: Row<"jobs">): Job {
  return { ...job, tags: tags ?? [] };
}

function attempted({ kysely, dialect }: Database, attemptsMin: number, now: number) {
  return (
    kysely
      .selectFrom("jobs")
      .select(["id", "kind"])
      // A literal, because SQLite does not use the partial index for a parameter.
      .where("attempts", ">", sql.lit(attemptsMin - 1))
      .where(sql<SqlBool>`(node_id is null or (node_id = ${dialect.thisNode} and lease_until <= ${now}))`)
      .orderBy("attempts")
      .orderBy("createTime")
      .orderBy("id")
      .execute()
  );
}
