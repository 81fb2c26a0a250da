/**
 * Stored responses: stored for some time for the team that requested them, continued, read, followed while they are generated,
 * cancelled and deleted. This file owns who may read what and for how long. The format of a response belongs to the dialect: bodies,
 * items and events are not parsed here.
 */
import { HearthError } from "../../core/errors.js";
import { createStorageLimit } from "../storage-limit.js";
import { EventLog } from "./event-log.js";
import { createEventRelay, type RelayConnection } from "./event-relay.js";
import {
  isUnfinished,
  type ResponseEnding,
  type StoredItem,
  type StoredResponse,
} from "./stored-response.js";
import type { ResponseStore } from "./store/responses.js";
import type { Write } from "../../store/writes.js";

/** Responses that one conversation may consist of. */
const chainResponsesMax = 1_000;

/** Length of a conversation that can be continued. */
const conversationCharsMax = 33_554_432;

/** A response to be stored. */
interface NewResponse extends Omit<StoredResponse, "expireTime"> {
  readonly input: readonly StoredItem[];
  readonly output: readonly StoredItem[];
}

export type StoredResponses = ReturnType<typeof createStoredResponses>;

interface StoredResponsesDeps {
  readonly responses: ResponseStore;
  /** Responses of all teams that may be stored. */
  readonly responsesMax: number;
  /** How long a response is stored. */
  readonly keptMs: number;
  /** Returns the events, packed or to be derived, of a response that has ended which follow the first `have`. */
  readonly eventsAfter: (
    response: StoredResponse,
    packed: Uint8Array | null,
    have: number,
  ) => readonly object[];
  /** The other servers of the database; null where there are none. */
  readonly others: RelayConnection | null;
}

/** Builds the service over its store. */
export function createStoredResponses(deps: StoredResponsesDeps) {
  const { responses, responsesMax, keptMs, others } = deps;
  const conversation = (id: string, teamId: string) => responses.chain(id, teamId, chainResponsesMax);
  const limit = createStorageLimit(() => responses.count(), responsesMax);
  const logs = createEventLogs();
  return {
    /** Events of background responses while they are queued or in progress. */
    logs,
    /** Gets the events of responses that other servers generate. */
    relay: createEventRelay(others, { logs, endedEvents: createEndedEvents(deps) }),
    /** @throws HearthError `overloaded` when no further response can be stored. */
    async refuseWhenFull(): Promise<void> {
      if (await limit.isFull()) throw storageFull();
    },
    /** Returns the writes that store a response. */
    insertion({ input, output, ...response }: NewResponse): readonly Write[] {
      limit.added();
      return responses.insertion({ ...response, expireTime: response.createTime + keptMs }, input, output);
    },
    /** Returns the writes that end one; they do nothing when it has ended already or was deleted. */
    ending: (id: string, ending: ResponseEnding): readonly Write[] => responses.ending(id, ending),
    /** Marks a queued one as in progress. */
    markStarted: (id: string, body: string): Promise<void> => responses.markStarted(id, body),
    /** Returns the compressed stream of one that has ended; null when none was stored. */
    events: ({ id, teamId }: StoredResponse): Promise<Uint8Array | null> => responses.events(id, teamId),
    /**
     * Returns the conversation up to and including a response.
     * @throws HearthError `invalid_value` with the code `previous_response_not_found` when it, or one before it, does not exist.
     */
    async conversation(id: string, teamId: string): Promise<readonly StoredItem[]> {
      const items = await conversation(id, teamId);
      if (items === null) throw previousNotFound(id);
      // A conversation that cannot be continued cannot become longer.
      if (items.reduce((sum, { body }) => sum + body.length, 0) > conversationCharsMax) throw tooLarge();
      return items;
    },
    /** Returns the bodies of the team's items, by id. */
    items: (ids: readonly string[], teamId: string): Promise<ReadonlyMap<string, string>> =>
      responses.items(ids, teamId),
    /** @throws HearthError `not_found`, the same for one that does not exist and one of another team. */
    async find(id: string, teamId: string): Promise<StoredResponse> {
      const response = await responses.find(id, teamId);
      if (response === null) throw responseNotFound(id);
      return response;
    },
    /** Returns the input items of its own request. */
    input: async ({ id, teamId }: StoredResponse): Promise<readonly StoredItem[]> =>
      (await responses.input(id, teamId)) ?? [],
    /** Returns all that a response was generated from: the conversation before it, unless it was deleted, and its own input. */
    async wholeInput({ id, teamId, previousId }: StoredResponse): Promise<readonly StoredItem[]> {
      const before = previousId === null ? [] : ((await conversation(previousId, teamId)) ?? []);
      return [...before, ...((await responses.input(id, teamId)) ?? [])];
    },
    /** @throws HearthError `not_found`. */
    async delete(id: string, teamId: string): Promise<void> {
      if (!(await responses.delete(id, teamId))) throw responseNotFound(id);
    },
  };
}

function createEndedEvents({ responses, eventsAfter }: StoredResponsesDeps) {
  return async ({ id, teamId }: { readonly id: string; readonly teamId: string }) => {
    const response = await responses.find(id, teamId);
    if (response === null) return () => [];
    if (isUnfinished(response)) return null;
    const packed = await responses.events(id, teamId);
    return (have: number) => eventsAfter(response, packed, have);
  };
}

function createEventLogs() {
  const logs = new Map<string, EventLog<object>>();
  let isClosed = false;
  return {
    /** Returns the log of that id; creates it when there is none. */
    open(id: string): EventLog<object> {
      const log = logs.get(id) ?? new EventLog<object>();
      // Nothing would end it.
      if (isClosed) log.end();
      else logs.set(id, log);
      return log;
    },
    find: (id: string): EventLog<object> | null => logs.get(id) ?? null,
    /** Ends and removes a log: its readers come to its end. */
    close(id: string): void {
      logs.get(id)?.end();
      logs.delete(id);
    },
    /** Ends all logs; a log that is opened later has ended, too. */
    closeAll(): void {
      isClosed = true;
      for (const log of logs.values()) log.end();
      logs.clear();
    },
  };
}

function responseNotFound(id: string): HearthError {
  return new HearthError("not_found", `Response with id '${id.slice(0, 200)}' not found.`, {
    param: "response_id",
  });
}

function previousNotFound(id: string): HearthError {
  return new HearthError("invalid_value", `Previous response with id '${id.slice(0, 200)}' not found.`, {
    param: "previous_response_id",
    code: "previous_response_not_found",
  });
}

function tooLarge(): HearthError {
  return new HearthError(
    "invalid_value",
    `The conversation that 'previous_response_id' names is larger than ${conversationCharsMax} characters.`,
    { param: "previous_response_id" },
  );
}

function storageFull(): HearthError {
  return new HearthError(
    "overloaded",
    "No more responses can be stored: the limit of this server (responsesMax) is reached. Send store: false, or delete some.",
    { code: "storage_full" },
  );
}
