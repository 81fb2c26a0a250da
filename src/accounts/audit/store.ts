import { sql, type Selectable } from "kysely";
import type { AuditAction, AuditedFields, AuditEvent, AuditQuery, StoredAuditEvent } from "./event.js";
import type { Database } from "../../store/database.js";
import type { AuditRow } from "../../store/schema.js";
import { createWrite, type Write } from "../../store/writes.js";

export type AuditStore = ReturnType<typeof createAuditStore>;

export interface AuditCount {
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
      return createWrite("audit_events", kysely.insertInto("audit_events").values(toRow(event)).compile());
    },
    page: (query: AuditQuery) => page(database, query),
    /** Returns how often a team had an action, from a time on. */
    async count({ teamId, action, from }: AuditCount): Promise<number> {
      const { count } = await kysely
        .selectFrom("audit_events")
        .select((events) => events.fn.countAll<number>().as("count"))
        .where("team_id", "=", teamId)
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
    .selectFrom("audit_events")
    .selectAll()
    .$if(teamId !== null, (events) => events.where("team_id", "=", teamId))
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

function toRow(event: AuditEvent) {
  return {
    id: event.id,
    time: event.time,
    actor: event.actor,
    user_id: event.userId,
    team_id: event.teamId,
    act: event.action,
    object_id: event.objectId,
    description: event.description,
    object_before: event.before === null ? null : JSON.stringify(event.before),
    object_after: event.after === null ? null : JSON.stringify(event.after),
  };
}

function fromRow(row: Selectable<AuditRow>): StoredAuditEvent {
  return {
    entry: row.entry,
    id: row.id,
    time: row.time,
    actor: row.actor,
    userId: row.user_id,
    teamId: row.team_id,
    action: row.act,
    objectId: row.object_id,
    description: row.description,
    before: fieldsOf(row.object_before),
    after: fieldsOf(row.object_after),
  };
}

function fieldsOf(text: string | null): AuditedFields | null {
  return text === null ? null : (JSON.parse(text) as AuditedFields);
}
