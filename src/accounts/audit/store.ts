import { sql } from "kysely";
import type { AuditAction, AuditEvent, AuditQuery, StoredAuditEvent } from "./event.js";
import type { Database } from "../../store/database.js";
import type { NewRow, Row } from "../../store/tables.js";
import { createWrite, type Write } from "../../store/writes.js";

export type AuditStore = ReturnType<typeof createAuditStore>;

interface AuditCount {
  readonly teamId: string;
  readonly action: AuditAction;
  /** Milliseconds since the epoch. */
  readonly from: number;
}

/** Creates the queries of the audit log. The log is append-only: triggers reject updates and deletions. */
export function createAuditStore(database: Database) {
  const { kysely } = database;
  return {
    insertion(event: AuditEvent): Write {
      return createWrite("auditEvents", kysely.insertInto("auditEvents").values(toRow(event)).compile());
    },
    page: (query: AuditQuery) => page(database, query),
    /** Returns how often a team had an action, from a time on. */
    async count({ teamId, action, from }: AuditCount): Promise<number> {
      const { count } = await kysely
        .selectFrom("auditEvents")
        .select((events) => events.fn.countAll<number>().as("count"))
        .where("teamId", "=", teamId)
        .where("time", ">=", from)
        .where("act", "=", action)
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

async function page({ reports }: Database, query: AuditQuery): Promise<StoredAuditEvent[]> {
  const { teamId, order, after, from, to, limit } = query;
  const direction = order === "ascending" ? "asc" : "desc";
  const beyond = sql.raw(order === "ascending" ? ">" : "<");
  // The position takes the place of the bound that it is beyond: with both, SQLite would read each page from the bound on.
  const isFrom = from !== null && (after === null || order !== "ascending");
  const isTo = to !== null && (after === null || order === "ascending");
  const rows = await reports
    .selectFrom("auditEvents")
    .selectAll()
    .$if(teamId !== null, (events) => events.where("teamId", "=", teamId))
    .$if(after !== null, (events) =>
      events.where(sql<boolean>`(time, entry) ${beyond} (${after?.time}, ${after?.entry})`),
    )
    .$if(isFrom, (events) => events.where("time", ">=", Number(from)))
    .$if(isTo, (events) => events.where("time", "<", Number(to)))
    .orderBy("time", direction)
    .orderBy("entry", direction)
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

function toRow({ action, before, after, ...event }: AuditEvent): NewRow<"auditEvents"> {
  return { ...event, act: action, objectBefore: before, objectAfter: after };
}

function fromRow({ act, objectBefore, objectAfter, ...row }: Row<"auditEvents">): StoredAuditEvent {
  return { ...row, action: act, before: objectBefore, after: objectAfter };
}
