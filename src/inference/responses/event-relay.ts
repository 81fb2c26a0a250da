/**
 * Follows the stream of a background response that another server generates. A server that follows asks for the events that it does not
 * have; the server whose log is written sends them as they come. What is lost on the way is read from the database when the response has
 * ended, so that a follower always comes to the end.
 */
import { z } from "zod";
import type { Broadcast } from "../../core/broadcast.js";
import type { Clock } from "../../core/clock.js";
import type { EventLog } from "./event-log.js";

interface EventRelay {
  /** Announces that this server writes the log of a response: the followers on other servers ask for it. */
  announce(id: string): void;
  /** Appends to a log what other servers write, until it ends. Does nothing where there is one server. */
  fill(response: FollowedResponse): void;
}

/** For a server that shares its database with no other. */
const noRelay: EventRelay = { announce: () => undefined, fill: () => undefined };

interface FollowedResponse {
  readonly id: string;
  readonly teamId: string;
}

/** How other servers of the database are reached. */
export interface RelayConnection {
  readonly broadcast: Broadcast;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
}

/** Where a relay reads and writes the events of responses. */
interface EventSources {
  readonly logs: {
    find(id: string): EventLog<object> | null;
    close(id: string): void;
  };
  /** Returns what returns the events after the first `have` of a response that has ended, or was deleted; null while it has not. */
  readonly endedEvents: (response: FollowedResponse) => Promise<((have: number) => readonly object[]) | null>;
}

/** How often a follower looks for what it may have missed. */
const lookEveryMs = 2_000;

const announcement = z.object({ id: z.string() });
const wanted = z.object({ id: z.string(), to: z.string(), from: z.number() });
const piece = z.object({ id: z.string(), to: z.string(), index: z.number(), event: z.looseObject({}) });

/** @param connection null: the server shares its database with no other */
export function createEventRelay(connection: RelayConnection | null, sources: EventSources): EventRelay {
  return connection === null ? noRelay : new Relay({ ...connection, ...sources });
}

class Relay implements EventRelay {
  /** The responses whose logs this server fills. */
  readonly #followed = new Map<string, FollowedResponse>();
  /** Ends the sending of a response's events to a server. */
  readonly #sending = new Map<string, AbortController>();

  constructor(private readonly deps: RelayConnection & EventSources) {
    const { broadcast } = deps;
    broadcast.on("response-writing", (message) => this.#ask(announcement.parse(message).id));
    broadcast.on("response-wanted", (message) => void this.#send(wanted.parse(message)));
    broadcast.on("response-event", (message) => this.#append(piece.parse(message)));
    broadcast.on("response-ended", (message) => void this.#look(announcement.parse(message).id));
  }

  announce(id: string): void {
    this.deps.broadcast.send("response-writing", { id });
  }

  fill(response: FollowedResponse): void {
    if (this.#followed.has(response.id)) return;
    this.#followed.set(response.id, response);
    this.#ask(response.id);
    this.#lookLater(response.id);
  }

  #lookLater(id: string): void {
    this.deps.clock.after(lookEveryMs, () => {
      void this.#look(id).then(() => {
        if (!this.#followed.has(id)) return;
        this.#ask(id);
        this.#lookLater(id);
      });
    });
  }

  #ask(id: string): void {
    const { broadcast, logs } = this.deps;
    const log = logs.find(id);
    if (log === null || !this.#followed.has(id)) return;
    broadcast.send("response-wanted", { id, to: broadcast.serverId, from: log.length });
  }

  async #send({ id, to, from }: z.infer<typeof wanted>): Promise<void> {
    const { broadcast, logs } = this.deps;
    const log = logs.find(id);
    if (log === null) return;
    const key = `${id} ${to}`;
    this.#sending.get(key)?.abort();
    const sending = new AbortController();
    this.#sending.set(key, sending);
    let index = from;
    for await (const event of log.from(from, sending.signal)) {
      broadcast.send("response-event", { id, to, index, event });
      index += 1;
    }
    if (this.#sending.get(key) !== sending) return;
    this.#sending.delete(key);
    broadcast.send("response-ended", { id });
  }

  #append({ id, to, index, event }: z.infer<typeof piece>): void {
    const { broadcast, logs } = this.deps;
    if (to !== broadcast.serverId || !this.#followed.has(id)) return;
    const log = logs.find(id);
    if (log !== null && log.length === index) log.append(event);
  }

  /** Ends a log whose response has ended. Never rejects. */
  async #look(id: string): Promise<void> {
    const { logs, endedEvents, onError } = this.deps;
    const response = this.#followed.get(id);
    if (response === undefined) return;
    // This server has ended it.
    if (logs.find(id) === null) return void this.#followed.delete(id);
    try {
      const eventsAfter = await endedEvents(response);
      if (eventsAfter === null) return;
      const log = logs.find(id);
      log?.append(...eventsAfter(log.length));
      logs.close(id);
      this.#followed.delete(id);
    } catch (thrown) {
      onError(thrown);
    }
  }
}
