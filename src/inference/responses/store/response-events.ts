import { sql } from "kysely";
import { createWrite, type Write } from "../../../store/writes.js";
import type { Database } from "../../../store/database.js";
import { prepareBinding } from "../../../store/prepared.js";
import type { Row } from "../../../store/tables.js";
import { unfinishedStatuses } from "../stored-response.js";

/** The table of compressed streams; a row is deleted with its response. */
export function createResponseEvents({ kysely }: Database) {
  const endRow = prepareBinding(["responseId", "events"], (kept: Row<"responseEvents">) =>
    kysely
      .insertInto("responseEvents")
      .columns(["responseId", "events"])
      .expression((row) =>
        row
          .selectFrom("responses")
          .select(["id", sql`${kept.events}`.as("events")])
          .where("id", "=", kept.responseId)
          .where("status", "in", unfinishedStatuses),
      ),
  );
  return {
    /** Stores the stream of a response that exists and has not ended. */
    ending: (responseId: string, events: Uint8Array): Write =>
      createWrite("responseEvents", endRow({ responseId, events })),
    /** @returns null when there is none, or the response belongs to another team. */
    async find(responseId: string, teamId: string): Promise<Uint8Array | null> {
      const row = await kysely
        .selectFrom("responseEvents")
        .innerJoin("responses", "responses.id", "responseEvents.responseId")
        .select("events")
        .where("responses.id", "=", responseId)
        .where("responses.teamId", "=", teamId)
        .executeTakeFirst();
      return row?.events ?? null;
    },
  };
}
