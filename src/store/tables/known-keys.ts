/** The API keys that there are and that there were: usage and the log of requests outlive them. */
import { sql, type RawBuilder } from "kysely";

/** Returns the name of a key; null where nothing is known of it. @param id the column or the expression of its id */
export function selectKeyName(id: RawBuilder<unknown>): RawBuilder<string | null> {
  return selectKnown("name", id);
}

/** Returns the member who created a key; null where nothing is known of it. @param id the column or the expression of its id */
export function selectKeyOwner(id: RawBuilder<unknown>): RawBuilder<string | null> {
  return selectKnown("user_id", id);
}

/** Returns a subquery of the ids of the keys that a member has created in teams. @param teams a list or a subquery of their ids */
export function selectKeysOfOwner(teams: RawBuilder<unknown>, ownerId: string): RawBuilder<unknown> {
  const idsOf = (table: "api_keys" | "removed_keys") =>
    sql`select id from ${sql.table(table)} where team_id in ${teams} and user_id = ${ownerId}`;
  return sql`(${idsOf("api_keys")} union all ${idsOf("removed_keys")})`;
}

function selectKnown(column: "name" | "user_id", id: RawBuilder<unknown>): RawBuilder<string | null> {
  const of = (table: "api_keys" | "removed_keys") =>
    sql`(select ${sql.ref(column)} from ${sql.table(table)} where id = ${id})`;
  return sql<string | null>`coalesce(${of("api_keys")}, ${of("removed_keys")})`;
}
