import { sql } from "kysely";
import { HearthError } from "../../../core/errors.js";
import { type ResponseStatus, type StoredItem, unfinishedStatuses } from "../stored-response.js";
import type { Database } from "../../../store/database.js";
import { prepare } from "../../../store/prepared.js";

/** Reads the conversation that leads to a response. */
type ReadConversation = (
  id: string,
  teamId: string,
  responsesMax: number,
) => Promise<readonly StoredItem[] | null>;

/**
 * Prepares reading a conversation up to and including the output of a response: the input and output items of each response in the
 * chain that leads to it, the oldest first. The result is null when a response of the chain was deleted, belongs to another team or
 * has not ended yet. One statement walks the chain and fetches the items: between two statements a response could be deleted, and its
 * items would be missing without an error.
 * @throws HearthError `invalid_value` when the chain is longer than `responsesMax`, or begins in a stored conversation, whose items it
 * does not contain.
 */
export function prepareConversation(database: Database): ReadConversation {
  const select = prepareWalk(database);
  return async (id, teamId, responsesMax) => {
    // One more than allowed, to find out whether there are more.
    const { rows } = await select({ id, teamId, depthMax: responsesMax + 1 });
    const oldest = rows[0];
    if (oldest === undefined || rows.some(({ status }) => unfinishedStatuses.includes(status))) return null;
    if (oldest.conversationId !== null) throw inConversation(oldest.conversationId);
    if (oldest.depth > responsesMax) throw tooLong(responsesMax);
    if (oldest.previousId !== null) return null;
    return rows.flatMap((row) =>
      row.itemId === null || row.body === null ? [] : [{ id: row.itemId, body: row.body }],
    );
  };
}

function tooLong(responsesMax: number): HearthError {
  return new HearthError(
    "invalid_value",
    `The conversation that 'previous_response_id' names is longer than ${responsesMax} responses.`,
    { param: "previous_response_id" },
  );
}

function inConversation(id: string): HearthError {
  return new HearthError(
    "invalid_value",
    `The response that 'previous_response_id' names belongs to the conversation '${id}': continue that with 'conversation'.`,
    { param: "previous_response_id" },
  );
}

interface Reading {
  readonly id: string;
  readonly teamId: string;
  readonly depthMax: number;
}

/** A response of the chain with one of its items, or without when it has none. */
interface Step {
  readonly status: ResponseStatus;
  readonly depth: number;
  readonly previousId: string | null;
  readonly conversationId: string | null;
  readonly itemId: string | null;
  readonly body: string | null;
}

/** The depth of a response is 1 for the requested one, 2 for the one before it, and so on. */
function prepareWalk({ kysely }: Database) {
  return prepare(kysely, ["id", "teamId", "depthMax"], ({ id, teamId, depthMax }: Reading) =>
    kysely
      .withRecursive("walk(id, previousId, conversationId, status, depth)", (database) =>
        database
          .selectFrom("responses")
          .select(["id", "previousId", "conversationId", "status", sql<number>`1`.as("depth")])
          .where("id", "=", id)
          .where("teamId", "=", teamId)
          .unionAll(
            database
              .selectFrom("walk")
              .innerJoin("responses as before", "before.id", "walk.previousId")
              .select((row) => [
                "before.id",
                "before.previousId",
                "before.conversationId",
                "before.status",
                row("walk.depth", "+", 1).as("depth"),
              ])
              .where("before.teamId", "=", teamId)
              .where("walk.depth", "<", depthMax),
          ),
      )
      .selectFrom("walk")
      .leftJoin("responseItems as item", "item.responseId", "walk.id")
      .select(["walk.status", "walk.depth", "walk.previousId"])
      .select("walk.conversationId")
      .select(["item.id as itemId", "item.body"])
      .orderBy("walk.depth", "desc")
      .orderBy("item.side")
      .orderBy("item.position")
      .$castTo<Step>(),
  );
}
