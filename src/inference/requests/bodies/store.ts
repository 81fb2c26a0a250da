import { createRowMapper, flag } from "../../../store/columns.js";
import type { Database } from "../../../store/database.js";
import { deleteExpired } from "../../../store/tables/delete-expired.js";
import type { RequestBodiesRow } from "../../../store/tables/request-bodies.js";
import { createWrite, type Write } from "../../../store/writes.js";

/** What a run has read and written, as JSON texts of lists of messages. Times are milliseconds since the epoch. */
export interface StoredBodies {
  readonly runId: string;
  readonly teamId: string;
  readonly input: string;
  readonly output: string;
  /** Of both texts. */
  readonly bytes: number;
  /** Whether something was left out, because it is too long. */
  readonly isCut: boolean;
  readonly createTime: number;
  readonly expireTime: number;
}

const columns = [
  "run_id",
  "team_id",
  "input",
  "output",
  "bytes",
  "is_cut",
  "create_time",
  "expire_time",
] as const;

export type RequestBodyStore = ReturnType<typeof createRequestBodyStore>;

/** Creates the queries of the table of bodies. Triggers add up their bytes, and delete those of deleted runs. */
export function createRequestBodyStore({ kysely }: Pick<Database, "kysely">) {
  return {
    /** Stores nothing for a team that has turned it off in the meantime. */
    insert: (bodies: StoredBodies) => insert(kysely, bodies),
    async find(runId: string): Promise<StoredBodies | null> {
      const row = await kysely
        .selectFrom("request_bodies")
        .selectAll()
        .where("run_id", "=", runId)
        .executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    /** The commit fails with `conflict` when there are none. */
    removal: (runId: string): Write =>
      createWrite(
        "request_bodies",
        kysely.deleteFrom("request_bodies").where("run_id", "=", runId).compile(),
        1,
      ),
    async totalBytes(): Promise<number> {
      const row = await kysely.selectFrom("request_bodies_total").select("bytes").executeTakeFirst();
      return row?.bytes ?? 0;
    },
    /** @returns how many were deleted. */
    async deleteOldest(limit: number): Promise<number> {
      const oldest = kysely
        .selectFrom("request_bodies")
        .select("run_id")
        .orderBy("create_time")
        .orderBy("run_id")
        .limit(limit);
      const { numDeletedRows } = await kysely
        .deleteFrom("request_bodies")
        .where("run_id", "in", oldest)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    /** Deletes up to `limit` that have expired. @returns how many were deleted. */
    deleteExpired: (now: number, limit: number): Promise<number> =>
      deleteExpired({ kysely }, { table: "request_bodies", key: "run_id" }, now, limit),
  };
}

async function insert(kysely: Database["kysely"], bodies: StoredBodies): Promise<void> {
  const row = toRow(bodies);
  const ofTeam = kysely
    .selectFrom("teams")
    .select((value) => [
      value.val(row.run_id).as("run_id"),
      "teams.id as team_id",
      value.val(row.input).as("input"),
      value.val(row.output).as("output"),
      value.val(row.bytes).as("bytes"),
      value.val(row.is_cut).as("is_cut"),
      value.val(row.create_time).as("create_time"),
      value.val(row.expire_time).as("expire_time"),
    ])
    .where("teams.id", "=", row.team_id)
    .where("teams.keeps_bodies", "=", 1);
  await kysely.insertInto("request_bodies").columns(columns).expression(ofTeam).execute();
}

const { toRow, fromRow } = createRowMapper<StoredBodies, RequestBodiesRow>({
  runId: "run_id",
  teamId: "team_id",
  input: "input",
  output: "output",
  bytes: "bytes",
  isCut: flag("is_cut"),
  createTime: "create_time",
  expireTime: "expire_time",
});
