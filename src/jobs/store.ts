import { sql } from "kysely";
import type { Job, JobStore } from "./job.js";
import type { Database } from "../store/database.js";
import { prepare, prepareBinding } from "../store/prepared.js";
import type { JobRow } from "../store/schema.js";
import { writeOf } from "../store/writes.js";

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
] as const;

/** The queue of jobs. A job is claimed by one statement, so that two claimants never get the same one. */
export function createJobStore(database: Database): JobStore {
  const { kysely } = database;
  const insertRow = prepareBinding(columns, (row: JobRow) => kysely.insertInto("jobs").values(row));
  const deleteRow = prepareBinding(["id"], ({ id }: { id: string }) =>
    kysely.deleteFrom("jobs").where("id", "=", id),
  );
  const claimRow = prepareClaim(database);
  const renewRows = prepareRenew(database);
  return {
    insertion: (job) => writeOf("jobs", insertRow(toRow(job))),
    removal: (id) => writeOf("jobs", deleteRow({ id })),
    async claim(kind, now, leaseUntil) {
      const row = (await claimRow({ kind, now, leaseUntil })).rows[0];
      return row === undefined ? null : fromRow(row);
    },
    async renew(ids, leaseUntil) {
      await renewRows({ ids: JSON.stringify(ids), leaseUntil });
    },
    async release(id) {
      await kysely
        .updateTable("jobs")
        .set((job) => ({ lease_until: null, attempts: job("attempts", "-", 1) }))
        .where("id", "=", id)
        .where("lease_until", "is not", null)
        .execute();
    },
    async releaseAll(kind) {
      await kysely
        .updateTable("jobs")
        .set({ lease_until: null })
        .where("kind", "=", kind)
        .where("lease_until", "is not", null)
        .execute();
    },
    async find(id) {
      const row = await kysely.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    async count(kind) {
      const { count } = await kysely
        .selectFrom("jobs")
        .select((job) => job.fn.countAll<number>().as("count"))
        .where("kind", "=", kind)
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

interface Claim {
  readonly kind: Job["kind"];
  readonly now: number;
  readonly leaseUntil: number;
}

function prepareClaim({ kysely }: Database) {
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
          .limit(1),
      )
      .returningAll(),
  );
}

function prepareRenew({ kysely }: Database) {
  return prepare(kysely, ["ids", "leaseUntil"], ({ ids, leaseUntil }: { ids: string; leaseUntil: number }) =>
    kysely
      .updateTable("jobs")
      .set({ lease_until: leaseUntil })
      .where("id", "in", sql<string>`(select value from json_each(${ids}))`)
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
  };
}
