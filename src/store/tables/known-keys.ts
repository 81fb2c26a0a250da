/** The API keys that there are and that there were: usage and the log of requests outlive them. */
import { sql, type RawBuilder } from "kysely";

/** Returns the name of a key; null where nothing is known of it. @param id the column or the expression of its id */
export function selectKeyName(id: RawBuilder<unknown>): RawBuilder<string | null> {
  return selectKnown("name", id);
}

/** Returns the member who created a key; null where nothing is known of it. @param id the column or the expression of its id */
export function selectKeyOwner(id: RawBuilder<unknown>): RawBuilder<string | null> {
  return selectKnown("userId", id);
}

/** Returns a subquery of the ids of the keys that a member has created in teams. @param teams a list or a subquery of their ids */
export function selectKeysOfOwner(teams: RawBuilder<unknown>, ownerId: string): RawBuilder<unknown> {
  const selectIds = (table: "apiKeys" | "removedKeys") =>
    sql`select id from ${sql.table(table)} where team_id in ${teams} and user_id = ${ownerId}`;
  return sql`(${selectIds("apiKeys")} union all ${selectIds("removedKeys")})`;
}

function selectKnown(column: "name" | "userId", id: RawBuilder<unknown>): RawBuilder<string | null> {
  const of = (table: "apiKeys" | "removedKeys") =>
    sql`(select ${sql.ref(column)} from ${sql.table(table)} where id = ${id})`;
  return sql<string | null>`coalesce(${of("apiKeys")}, ${of("removedKeys")})`;
}
