import { sql } from "kysely";
import type { Write } from "../../../store/writes.js";
import type { Database } from "../../../store/database.js";
import { prepareBinding } from "../../../store/prepared.js";
import type { EventsRow } from "../../../store/schema.js";
import { unfinishedStatuses } from "../stored-response.js";
import { createWrite } from "../../../store/writes.js";

/** The table of compressed streams; a row is deleted with its response. */
export function createResponseEvents({ kysely }: Database) {
  const endRow = prepareBinding(["response_id", "events"], (kept: EventsRow) =>
    kysely
      .insertInto("response_events")
      .columns(["response_id", "events"])
      .expression((row) =>
        row
          .selectFrom("responses")
          .select(["id", sql`${kept.events}`.as("events")])
          .where("id", "=", kept.response_id)
          .where("status", "in", unfinishedStatuses),
      ),
  );
  return {
    /** Stores the stream of a response that exists and has not ended. */
    ending: (responseId: string, events: Uint8Array): Write =>
      createWrite("response_events", endRow({ response_id: responseId, events })),
    /** @returns null when there is none, or the response belongs to another team. */
    async find(responseId: string, teamId: string): Promise<Uint8Array | null> {
      const row = await kysely
        .selectFrom("response_events")
        .innerJoin("responses", "responses.id", "response_events.response_id")
        .select("events")
        .where("responses.id", "=", responseId)
        .where("responses.team_id", "=", teamId)
        .executeTakeFirst();
      return row?.events ?? null;
    },
  };
}
