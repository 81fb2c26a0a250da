/**
 * Stored responses: kept for thirty days for the team that asked for them, gone on from, listed, followed while they are made,
 * cancelled and deleted. It owns who may see what and for how long; what a response looks like is the dialect's, so that bodies, items
 * and events pass through here unread.
 */
import { HearthError } from "../../core/errors.js";
import { EventLog } from "./event-log.js";
import type { ResponseEnding, ResponseStore, StoredItem, StoredResponse } from "./stored-response.js";
import type { Write } from "../../store/write.js";

/** How long a response is kept. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

/** Responses that one conversation may go back over. */
const chainResponsesMax = 1_000;

/** Text of a conversation that can be gone on from. */
const conversationCharsMax = 33_554_432;

/** A response to be kept. */
export interface NewResponse extends Omit<StoredResponse, "expireTime"> {
  readonly input: readonly StoredItem[];
  readonly output: readonly StoredItem[];
}

export interface Memory {
  /** @throws HearthError `overloaded` when no further response can be stored. */
  makeRoom(): Promise<void>;
  /** The change that stores a response. */
  insertion(response: NewResponse): readonly Write[];
  /** The change that ends one; nothing happens to one that has ended already or is gone. */
  ending(id: string, ending: ResponseEnding): readonly Write[];
  /** Work on a queued one has begun. */
  begin(id: string, body: string): Promise<void>;
  /**
   * The conversation up to and with a response.
   * @throws HearthError `invalid_value` with the code `previous_response_not_found` where it, or one before it, is not there.
   */
  conversation(id: string, teamId: string): Promise<readonly StoredItem[]>;
  /** Bodies of the team's items, by id. */
  items(ids: readonly string[], teamId: string): Promise<ReadonlyMap<string, string>>;
  /** @throws HearthError `not_found`, the same for one that is not there and one of another team. */
  find(id: string, teamId: string): Promise<StoredResponse>;
  /** The compressed stream of one that has ended, where it was kept. */
  events(response: StoredResponse): Promise<Uint8Array | null>;
  /** What its request said itself. */
  input(response: StoredResponse): Promise<readonly StoredItem[]>;
  /** All that a response was made from: the conversation before it, as far as it is still there, and its own input. */
  wholeInput(response: StoredResponse): Promise<readonly StoredItem[]>;
  /** @throws HearthError `not_found`. */
  delete(id: string, teamId: string): Promise<void>;
  /** What is told of a background response while it is queued or made. */
  readonly logs: EventLogs;
}

/** The streams of background responses that have not ended. */
export interface EventLogs {
  /** The log of that id, made where there is none. */
  open(id: string): EventLog<object>;
  find(id: string): EventLog<object> | null;
  /** Nothing more will be told: whoever reads it comes to its end, and it is forgotten. */
  close(id: string): void;
  /** For good: what is opened from here on has ended. */
  closeAll(): void;
}

export interface MemoryDeps {
  readonly responses: ResponseStore;
  /** Responses of all teams that may be stored. */
  readonly responsesMax: number;
}

/** Builds the memory over its store. */
export function createMemory({ responses, responsesMax }: MemoryDeps): Memory {
  const conversation = (id: string, teamId: string) => responses.chain(id, teamId, chainResponsesMax);
  // Counting takes longer the more there are: it is done at the start, and when the bound seems to be reached.
  let atMost: number | null = null;
  return {
    logs: createEventLogs(),
    async makeRoom() {
      if (atMost === null || atMost >= responsesMax) atMost = await responses.count();
      if (atMost >= responsesMax) throw full();
    },
    insertion({ input, output, ...response }) {
      if (atMost !== null) atMost += 1;
      return responses.insertion({ ...response, expireTime: response.createTime + keptMs }, input, output);
    },
    ending: (id, ending) => responses.ending(id, ending),
    begin: (id, body) => responses.begin(id, body),
    events: ({ id, teamId }) => responses.events(id, teamId),
    async conversation(id, teamId) {
      const items = await conversation(id, teamId);
      if (items === null) throw previousNotFound(id);
      // Whoever cannot go on from it cannot make it longer.
      if (items.reduce((sum, { body }) => sum + body.length, 0) > conversationCharsMax) throw tooLarge();
      return items;
    },
    items: (ids, teamId) => responses.items(ids, teamId),
    async find(id, teamId) {
      const response = await responses.find(id, teamId);
      if (response === null) throw notFound(id);
      return response;
    },
    input: async ({ id, teamId }) => (await responses.input(id, teamId)) ?? [],
    async wholeInput({ id, teamId, previousId }) {
      const before = previousId === null ? [] : ((await conversation(previousId, teamId)) ?? []);
      return [...before, ...((await responses.input(id, teamId)) ?? [])];
    },
    async delete(id, teamId) {
      if (!(await responses.delete(id, teamId))) throw notFound(id);
    },
  };
}

function createEventLogs(): EventLogs {
  const logs = new Map<string, EventLog<object>>();
  let isClosed = false;
  return {
    open(id) {
      const log = logs.get(id) ?? new EventLog<object>();
      // Nobody would ever end it.
      if (isClosed) log.end();
      else logs.set(id, log);
      return log;
    },
    find: (id) => logs.get(id) ?? null,
    close(id) {
      logs.get(id)?.end();
      logs.delete(id);
    },
    closeAll() {
      isClosed = true;
      for (const log of logs.values()) log.end();
      logs.clear();
    },
  };
}

function notFound(id: string): HearthError {
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

function full(): HearthError {
  return new HearthError(
    "overloaded",
    "No more responses can be stored: the bound of this server (responsesMax) is reached. Send store: false, or delete some.",
    { code: "storage_full" },
  );
}
