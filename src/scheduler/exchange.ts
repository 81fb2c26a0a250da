/**
 * What the servers of a database say to each other of slots that they share: each sends what it wants as it changes, and again while it
 * wants any, so that a lost message is made up for, and a server that has ended is forgotten.
 */
import { z } from "zod";
import type { Clock } from "../core/clock.js";
import type { Broadcast } from "../core/broadcast.js";
import { teamsNamedMax } from "./demand.js";
import type { Elsewhere } from "./decide.js";
import type { ServerDemand } from "./divide.js";

/** Between two messages of a server on the same slots when what it wants has changed. */
const changedEveryMs = 200;
/** They are repeated at each whole second of its clock, so that a turn begins when it should. */
const repeatedEveryMs = 1_000;
const turnMs = 2_000;
/** After which a server that says nothing counts as ended, or as one that wants nothing. */
const silenceMsMax = 3_000;
/** What other servers want, over all slots; more is not regarded. */
const demandsKeptMax = 10_000;

const [topicOfDemands, topicOfStarts] = ["demand for slots", "started to share slots"];

const whole = z.number().int().min(0);
const demand = z.object({
  teamId: z.string().max(200),
  weight: z.number().positive(),
  runs: z.number().int().min(1),
});
const message = z.object({
  sharedAs: z.string().max(1_000),
  serverId: z.string().max(200),
  running: whole,
  turn: whole,
  teams: z.array(demand).max(teamsNamedMax + 1),
});

interface ExchangeDeps {
  readonly broadcast: Broadcast;
  readonly clock: Clock;
  /** Returns what this server wants now. */
  readonly readDemand: (sharedAs: string) => Omit<ServerDemand, "turn">;
  /** Called when other servers want something else, when one of them has ended, and when this one has sent something. */
  readonly onChange: (sharedAs: string) => void;
}

interface Heard {
  readonly demand: ServerDemand;
  /** By the monotonic clock. */
  readonly at: number;
}

interface Sender {
  /** null: nothing yet, or that nothing is wanted. */
  sent: ServerDemand | null;
  /** By the monotonic clock. */
  sentAt: number;
  /** When it is sent again. */
  dueAt: number;
  stop: () => void;
}

export class DemandExchange {
  readonly #deps: ExchangeDeps;
  /** By slots, then by server. */
  readonly #heard = new Map<string, Map<string, Heard>>();
  /** Only of slots that this server wants, or has wanted a moment ago. */
  readonly #senders = new Map<string, Sender>();

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
    const { broadcast } = deps;
    broadcast.on(topicOfDemands, (received) => this.#receive(received));
    // A server that has just started knows nothing yet.
    broadcast.on(topicOfStarts, () => this.changedAll());
    broadcast.send(topicOfStarts, {});
  }

  /** Returns what is known now. */
  elsewhere(sharedAs: string): Elsewhere {
    this.#forget(sharedAs);
    const others = [...(this.#heard.get(sharedAs)?.values() ?? [])].map((heard) => heard.demand);
    return { others, sent: this.#senders.get(sharedAs)?.sent ?? null, turn: this.#turnNow };
  }

  /** Sends what this server wants, within a moment. @param delayMs at the earliest */
  changed(sharedAs: string, delayMs = 0): void {
    const { clock } = this.#deps;
    const now = clock.monotonic();
    const sender = this.#senders.get(sharedAs) ?? {
      sent: null,
      sentAt: Number.NEGATIVE_INFINITY,
      dueAt: Number.POSITIVE_INFINITY,
      stop: () => undefined,
    };
    this.#senders.set(sharedAs, sender);
    const dueAt = Math.max(now + delayMs, sender.sentAt + changedEveryMs);
    if (dueAt >= sender.dueAt) return;
    if (dueAt <= now) return this.#send(sharedAs, sender);
    sender.stop();
    sender.dueAt = dueAt;
    sender.stop = clock.after(dueAt - now, () => this.#send(sharedAs, sender));
  }

  /** The same where this server wants less: a client often sends its next request as soon as it has an answer. */
  changedToLess(sharedAs: string): void {
    this.changed(sharedAs, changedEveryMs);
  }

  /** Does so for all slots. */
  changedAll(): void {
    for (const sharedAs of this.#senders.keys()) this.changed(sharedAs);
  }

  #send(sharedAs: string, sender: Sender): void {
    const { broadcast, clock, readDemand, onChange } = this.#deps;
    sender.stop();
    const now = clock.monotonic();
    sender.sentAt = now;
    const wanted = { ...readDemand(sharedAs), turn: Math.floor(now / turnMs) };
    broadcast.send(topicOfDemands, { sharedAs, ...wanted });
    const isWanted = wanted.teams.length > 0;
    sender.sent = isWanted ? wanted : null;
    const waitMs = isWanted ? repeatedEveryMs - (now % repeatedEveryMs) : changedEveryMs;
    sender.dueAt = isWanted ? now + waitMs : Number.POSITIVE_INFINITY;
    sender.stop = clock.after(waitMs, () =>
      isWanted ? this.#send(sharedAs, sender) : this.#senders.delete(sharedAs),
    );
    onChange(sharedAs);
  }

  #receive(received: unknown): void {
    const { data } = message.safeParse(received);
    // A message of another version.
    if (data === undefined) return;
    const { sharedAs, ...wanted } = data;
    const { serverId, teams } = wanted;
    this.#forget(sharedAs);
    if (this.#heardCount >= demandsKeptMax) for (const each of this.#heard.keys()) this.#forget(each);
    const servers = this.#heard.get(sharedAs) ?? new Map<string, Heard>();
    const isNew = !servers.has(serverId);
    if (isNew && (teams.length === 0 || this.#heardCount >= demandsKeptMax)) return;
    if (teams.length === 0) servers.delete(serverId);
    else servers.set(serverId, { demand: wanted, at: this.#deps.clock.monotonic() });
    if (servers.size > 0) this.#heard.set(sharedAs, servers);
    else this.#heard.delete(sharedAs);
    this.#deps.onChange(sharedAs);
    // It may have sent this before it could hear what this server wants.
    if (isNew && this.#senders.has(sharedAs)) this.changed(sharedAs);
  }

  /** Forgets servers that say nothing. */
  #forget(sharedAs: string): void {
    const servers = this.#heard.get(sharedAs);
    if (servers === undefined) return;
    const since = this.#deps.clock.monotonic() - silenceMsMax;
    for (const [serverId, { at }] of servers) if (at < since) servers.delete(serverId);
    if (servers.size === 0) this.#heard.delete(sharedAs);
  }

  get #turnNow(): number {
    return Math.floor(this.#deps.clock.monotonic() / turnMs);
  }

  get #heardCount(): number {
    let sum = 0;
    for (const servers of this.#heard.values()) sum += servers.size;
    return sum;
  }
}
