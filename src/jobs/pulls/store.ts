import type { ModelPullRow } from "../../store/tables/pulls.js";
import type { Database } from "../../store/database.js";
import { createWrite, type Write } from "../../store/writes.js";
import type { ModelPull } from "./pull.js";

/** What the end of a pull writes. */
export type PullEnd = Pick<ModelPull, "state" | "endTime" | "modelId" | "error">;

export type PullStore = ReturnType<typeof createPullStore>;

/** Creates the queries of pulls. */
export function createPullStore(database: Database) {
  const { kysely, dialect } = database;
  return {
    insertion: (pull: ModelPull): Write =>
      createWrite(
        "model_pulls",
        kysely
          .insertInto("model_pulls")
          .values({ ...toRow(pull), node_id: dialect.thisNode })
          .compile(),
        1,
      ),
    /** Ends a pull that has not ended. */
    ending(id: string, { state, endTime, modelId, error }: PullEnd): Write {
      const query = kysely
        .updateTable("model_pulls")
        .set({ state, end_time: endTime, model_id: modelId, error })
        .where("id", "=", id)
        .where("end_time", "is", null);
      return createWrite("model_pulls", query.compile(), 1);
    },
    /** Deletes the oldest pulls that have ended, so that `kept` are left. */
    trimming(kept: number): Write {
      const newest = kysely
        .selectFrom("model_pulls")
        .select("id")
        .orderBy("create_time", "desc")
        .orderBy("id", "desc")
        .limit(kept);
      const query = kysely
        .deleteFrom("model_pulls")
        .where("end_time", "is not", null)
        .where("id", "not in", newest);
      return createWrite("model_pulls", query.compile());
    },
    ...createClaims(database),
    ...createReads(database),
  };
}

function createClaims({ kysely, dialect }: Database) {
  return {
    /**
     * Makes this server the one that does the pulls that have not ended and that no server does. @returns them, the oldest first.
     */
    async claim(): Promise<readonly ModelPull[]> {
      const rows = await kysely
        .updateTable("model_pulls")
        .set({ node_id: dialect.thisNode, state: "queued" })
        .where("end_time", "is", null)
        .where("node_id", "is", null)
        .returningAll()
        .execute();
      return rows
        .map(fromRow)
        .sort((one, other) => one.createTime - other.createTime || (one.id < other.id ? -1 : 1));
    },
    /** Returns the write that leaves the pulls of a server that has ended to others. */
    releaseOf: (node: number): Write =>
      createWrite(
        "model_pulls",
        kysely
          .updateTable("model_pulls")
          .set({ node_id: null })
          .where("end_time", "is", null)
          .where("node_id", "=", node)
          .compile(),
      ),
  };
}

function createReads({ kysely }: Database) {
  return {
    /** Returns the pull of this that has not ended, on any server. */
    async findActive(what: string): Promise<ModelPull | null> {
      const row = await kysely
        .selectFrom("model_pulls")
        .selectAll()
        .where("end_time", "is", null)
        .where("what", "=", what)
        .executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    /** Returns the newest, the newest first. */
    async newest(limit: number): Promise<readonly ModelPull[]> {
      const rows = await kysely
        .selectFrom("model_pulls")
        .selectAll()
        .orderBy("create_time", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(fromRow);
    },
    async find(id: string): Promise<ModelPull | null> {
      const row = await kysely.selectFrom("model_pulls").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
  };
}

function toRow(pull: ModelPull): ModelPullRow {
  return {
    id: pull.id,
    what: pull.what,
    state: pull.state,
    actor: pull.actor,
    create_time: pull.createTime,
    end_time: pull.endTime,
    model_id: pull.modelId,
    error: pull.error,
  };
}

function fromRow(row: ModelPullRow): ModelPull {
  return {
    id: row.id,
    what: row.what,
    state: row.state,
    actor: row.actor,
    createTime: row.create_time,
    endTime: row.end_time,
    modelId: row.model_id,
    error: row.error,
  };
}
