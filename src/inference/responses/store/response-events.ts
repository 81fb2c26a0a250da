import { sql } from "kysely";
import type { Write } from "../../../store/write.js";
import type { Database } from "../../../store/database.js";
import { prepareBinding } from "../../../store/prepared.js";
import type { EventsRow } from "../../../store/schema.js";
import { unended } from "../stored-response.js";
import { writeOf } from "../../../store/writes.js";

/** The compressed streams of responses that keep one. */
export interface ResponseEvents {
  /** Kept when the response is there and has not ended. */
  ending(responseId: string, events: Uint8Array): Write;
  /** @returns null when there is none, or the response is another team's. */
  find(responseId: string, teamId: string): Promise<Uint8Array | null>;
}

/** The table of kept streams; a row goes with its response. */
export function createResponseEvents({ kysely }: Database): ResponseEvents {
  const endRow = prepareBinding(["response_id", "events"], (kept: EventsRow) =>
    kysely
      .insertInto("response_events")
      .columns(["response_id", "events"])
      .expression((row) =>
        row
          .selectFrom("responses")
          .select(["id", sql`${kept.events}`.as("events")])
          .where("id", "=", kept.response_id)
          .where("status", "in", unended),
      ),
  );
  return {
    ending: (responseId, events) => writeOf("response_events", endRow({ response_id: responseId, events })),
    async find(responseId, teamId) {
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
