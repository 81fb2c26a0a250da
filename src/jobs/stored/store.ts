import { sql, type RawBuilder } from "kysely";
import type { Database } from "../../store/database.js";
import type { Dialect } from "../../store/dialect/dialect.js";
import type { StoredKind, StoredObject, StoredPage, StoredPosition, StoredQuery } from "./stored-object.js";

export type StoredObjectStore = ReturnType<typeof createStoredObjectStore>;

/** Objects that one page with filters reads at most. */
const scannedMax = 5000;

/** Reads what the tables of stored things have in common. */
export function createStoredObjectStore({ kysely, reports, dialect }: Database) {
  const sources = createSources(dialect);
  return {
    /** Returns objects, the newest first: at most `limit`, fewer when `scannedMax` were looked at. */
    async page(query: StoredQuery, now: number): Promise<StoredPage> {
      const { kind, limit } = query;
      const isFiltered = [query.userId, query.state, query.background, query.text].some(
        (each) => each !== null,
      );
      const scanned = isFiltered ? scannedMax : limit + 1;
      const { rows } =
        await sql<Row>`select ${selectFields(sources[kind])}, scanned.place from (${indexed(query, now, scanned)})
        as scanned join ${selectTable(kind)} as item on item.id = scanned.id where ${matching(query, sources[kind], dialect)}
        order by scanned.place desc, scanned.id desc limit ${limit + 1}`.execute(reports);
      const objects = rows.slice(0, limit).map((row) => fromRow(kind, row));
      const last = rows[limit - 1];
      if (rows.length > limit && last !== undefined)
        return { objects, next: { place: last.place, id: last.id } };
      return { objects, next: isFiltered ? await lastScanned(reports, query, now) : null };
    },
    async find(kind: StoredKind, id: string, now: number): Promise<StoredObject | null> {
      const { rows } =
        await sql<Row>`select ${selectFields(sources[kind])}, 0 as place from ${selectTable(kind)} as item
        where item.id = ${id} and ${isVisible(kind, now)}`.execute(kysely);
      return rows[0] === undefined ? null : fromRow(kind, rows[0]);
    },
  };
}

interface Row extends Omit<StoredObject, "kind" | "lines"> {
  readonly place: number;
  readonly lines: number | null;
  readonly succeeded: number | null;
  readonly errored: number | null;
  readonly dropped: number | null;
}

interface Source {
  /** The columns that it has; the others are null. */
  readonly fields: Readonly<Partial<Record<keyof Row, RawBuilder<unknown>>>>;
  /** A text that is searched beside the ID. */
  readonly name: string | null;
}

/** The columns that order their indexes. */
const places: Readonly<Record<StoredKind, string>> = {
  "deferred-completions": "createTime",
  responses: "createTime",
  "chat-completions": "entry",
  batches: "createTime",
  files: "createTime",
};

const column = (name: string): RawBuilder<unknown> => sql.ref(`item.${name}`);

const createSources = ({ selectField }: Dialect): Readonly<Record<StoredKind, Source>> => ({
  "deferred-completions": {
    name: null,
    fields: {
      state: column("state"),
      // While one is pending, its job has the request.
      model: sql`coalesce(case when item.state = 'done' then ${selectField(column("outcome"), ["model"])} end,
        (select ${selectField(sql.ref("jobs.body"), ["model"])} from jobs where jobs.id = item.id))`,
      error: sql`case when item.state = 'failed' then ${selectField(column("outcome"), ["message"])} end`,
    },
  },
  responses: {
    name: null,
    fields: {
      state: column("status"),
      background: column("background"),
      model: selectField(column("body"), ["model"]),
      error: selectField(column("body"), ["error", "message"]),
    },
  },
  "chat-completions": { name: "model", fields: { model: column("model") } },
  batches: {
    name: null,
    fields: {
      state: column("state"),
      bytes: column("bytes"),
      endpoint: column("endpoint"),
      lines: column("lines"),
      succeeded: column("succeeded"),
      errored: column("errored"),
      dropped: column("dropped"),
      outputFileId: column("outputFileId"),
      errorFileId: column("errorFileId"),
      error: selectField(column("errors"), [0, "message"]),
      endTime: column("endTime"),
    },
  },
  files: {
    name: "filename",
    fields: { filename: column("filename"), purpose: column("purpose"), bytes: column("bytes") },
  },
});

const optionalFields = [
  ...(["state", "background", "model", "filename", "purpose", "bytes", "endpoint", "lines"] as const),
  ...(["succeeded", "errored", "dropped", "outputFileId", "errorFileId", "error", "endTime"] as const),
];

function selectFields({ fields }: Source): RawBuilder<unknown> {
  const optional = optionalFields.map((name) => sql`${fields[name] ?? sql`null`} as ${sql.ref(name)}`);
  const common = (["id", "teamId", "userId", "createTime", "expireTime"] as const).map(column);
  return sql.join([...common, ...optional]);
}

function selectTable(kind: StoredKind): RawBuilder<unknown> {
  return sql.table(kind.replaceAll("-", "_"));
}

/** The newest objects of a team, in the order of an index. */
function indexed({ kind, teamId, after }: StoredQuery, now: number, limit: number): RawBuilder<unknown> {
  const place = column(places[kind]);
  const isAfter = after === null ? sql`true` : sql`(${place}, item.id) < (${after.place}, ${after.id})`;
  return sql`select item.id, ${place} as place from ${selectTable(kind)} as item where item.team_id = ${teamId}
    and ${isVisible(kind, now)} and ${isAfter} order by ${place} desc, item.id desc limit ${limit}`;
}

/** Whether clients can see it: it has not expired, and is not the results of a message batch, which the batch has. */
function isVisible(kind: StoredKind, now: number): RawBuilder<unknown> {
  const isKept = sql`(item.expire_time is null or item.expire_time > ${now})`;
  if (kind === "deferred-completions") return isKept;
  return kind === "files" ? sql`${isKept} and item.purpose <> 'message_batch_results'` : sql`true`;
}

function matching(
  { userId, state, background, text }: StoredQuery,
  { name, fields }: Source,
  { contains, lineBreak }: Dialect,
): RawBuilder<unknown> {
  const searched = name === null ? sql`item.id` : sql`item.id || ${lineBreak} || ${column(name)}`;
  const filters = [
    userId === null ? null : sql`item.user_id = ${userId}`,
    state === null ? null : sql`${fields.state ?? sql`''`} = ${state}`,
    background === null ? null : sql`${fields.background ?? sql`0`} = ${Number(background)}`,
    text === null ? null : contains(searched, text),
  ].filter((filter) => filter !== null);
  return filters.length === 0 ? sql`true` : sql.join(filters, sql` and `);
}

/** Returns the last object that a page with filters looks at; null when it looks at all. */
async function lastScanned(
  kysely: Database["kysely"],
  query: StoredQuery,
  now: number,
): Promise<StoredPosition | null> {
  const { rows } =
    await sql<StoredPosition>`select place, id from (${indexed(query, now, scannedMax)}) as scanned
    limit 1 offset ${scannedMax - 1}`.execute(kysely);
  return rows[0] ?? null;
}

function fromRow(kind: StoredKind, row: Row): StoredObject {
  const { lines, succeeded, errored, dropped, place: _place, ...object } = row;
  return {
    ...object,
    kind,
    lines:
      lines === null
        ? null
        : { total: lines, succeeded: succeeded ?? 0, errored: errored ?? 0, dropped: dropped ?? 0 },
    // A batch that has ended is deleted some time after its end.
    expireTime: kind === "batches" && object.endTime !== null ? null : object.expireTime,
  };
}
