import type { Row } from "../../store/tables.js";
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
        "modelPulls",
        kysely
          .insertInto("modelPulls")
          .values({ ...pull, nodeId: dialect.thisNode })
          .compile(),
        1,
      ),
    /** Ends a pull that has not ended. */
    ending(id: string, { state, endTime, modelId, error }: PullEnd): Write {
      const query = kysely
        .updateTable("modelPulls")
        .set({ state, endTime, modelId, error })
        .where("id", "=", id)
        .where("endTime", "is", null);
      return createWrite("modelPulls", query.compile(), 1);
    },
    /** Deletes the oldest pulls that have ended, so that `kept` are left. */
    trimming(kept: number): Write {
      const newest = kysely
        .selectFrom("modelPulls")
        .select("id")
        .orderBy("createTime", "desc")
        .orderBy("id", "desc")
        .limit(kept);
      const query = kysely
        .deleteFrom("modelPulls")
        .where("endTime", "is not", null)
        .where("id", "not in", newest);
      return createWrite("modelPulls", query.compile());
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
        .updateTable("modelPulls")
        .set({ nodeId: dialect.thisNode, state: "queued" })
        .where("endTime", "is", null)
        .where("nodeId", "is", null)
        .returningAll()
        .execute();
      return rows
        .map(fromRow)
        .sort((one, other) => one.createTime - other.createTime || (one.id < other.id ? -1 : 1));
    },
    /** Returns the write that leaves the pulls of a server that has ended to others. */
    releaseOf: (node: number): Write =>
      createWrite(
        "modelPulls",
        kysely
          .updateTable("modelPulls")
          .set({ nodeId: null })
          .where("endTime", "is", null)
          .where("nodeId", "=", node)
          .compile(),
      ),
  };
}

function createReads({ kysely }: Database) {
  return {
    /** Returns the pull of this that has not ended, on any server. */
    async findActive(what: string): Promise<ModelPull | null> {
      const row = await kysely
        .selectFrom("modelPulls")
        .selectAll()
        .where("endTime", "is", null)
        .where("what", "=", what)
        .executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    /** Returns the newest, the newest first. */
    async newest(limit: number): Promise<readonly ModelPull[]> {
      const rows = await kysely
        .selectFrom("modelPulls")
        .selectAll()
        .orderBy("createTime", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(fromRow);
    },
    async find(id: string): Promise<ModelPull | null> {
      const row = await kysely.selectFrom("modelPulls").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
  };
}

function fromRow({ nodeId: _, ...pull }: Row<"modelPulls">): ModelPull {
  return pull;
}
