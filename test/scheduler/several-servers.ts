/** Several servers that share the slots of one model, over one clock and messages that take a while. */
import type { Broadcast } from "../../src/core/broadcast.js";
import type { Slot } from "../../src/core/slots.js";
import { Scheduler } from "../../src/scheduler/scheduler.js";
import { createManualClock } from "../kit/manual-clock.js";

const delayMs = 5;
const stepMs = 10;

/** Runs of a team that each have a slot of the model for a time, or of a model of this server alone. */
export interface Work {
  readonly server: number;
  readonly teamId: string;
  readonly teamWeight?: number;
  readonly runMs: number;
  readonly isShared?: boolean;
}

/** Requests that a team keeps at a server: each that ends is followed by another one. */
export interface Load extends Work {
  /** Requests at a time. */
  readonly requests: number;
}

interface Server {
  readonly id: string;
  readonly receivers: [string, (message: unknown) => void][];
  isUp: boolean;
}

export class SeveralServers {
  readonly clock = createManualClock(0);
  readonly schedulers: Scheduler[] = [];
  /** Messages so far, and the characters of the longest. */
  sent = 0;
  longest = 0;
  /** Runs that have slots now, over all servers. */
  running = 0;
  /** The most at a moment, and the part of the time in which there were more than slots, since `pass` was called. */
  mostRunning = 0;
  overPart = 0;
  /** Whether messages are lost. */
  isCut = false;
  /** One of so many messages is lost; 0: none. */
  oneIsLostOf = 0;
  readonly #slots: number;
  readonly #servers: Server[] = [];
  readonly #unloaded = new Set<number>();
  /** Milliseconds of slots that each team had. */
  readonly #served = new Map<string, number>();

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Starts another server. @param reachesOthers whether messages can be sent */
  start(reachesOthers = true): number {
    const server: Server = { id: `server-${this.#servers.length}`, receivers: [], isUp: true };
    this.#servers.push(server);
    const broadcast: Broadcast = {
      serverId: server.id,
      reachesOthers,
      send: (topic, message) => this.#send(server, topic, message),
      on: (topic, receive) => void server.receivers.push([topic, receive]),
    };
    this.schedulers.push(new Scheduler({ queueDepthMax: 1_000 }, this.clock, broadcast));
    return this.schedulers.length - 1;
  }

  /** The process of a server ends: it says nothing any more. Its runs end in their time, as an engine goes on for a while. */
  kill(server: number): void {
    const { [server]: killed } = this.#servers;
    if (killed !== undefined) killed.isUp = false;
  }

  /** Keeps requests of a team at a server. */
  load({ requests, ...load }: Load): void {
    for (let each = 0; each < requests; each += 1) void this.#repeat(load);
  }

  /** Ends what `load` keeps at a server, when the runs that wait or run have ended. */
  unload(server: number): void {
    this.#unloaded.add(server);
  }

  /** Lets time pass. @returns the seconds of slots that each team had meanwhile */
  async pass(seconds: number): Promise<ReadonlyMap<string, number>> {
    this.#served.clear();
    this.mostRunning = 0;
    const steps = Math.ceil((seconds * 1_000) / stepMs);
    let over = 0;
    for (let step = 0; step < steps; step += 1) {
      this.clock.advance(stepMs);
      await new Promise((resolve) => setImmediate(resolve));
      this.mostRunning = Math.max(this.mostRunning, this.running);
      if (this.running > this.#slots) over += 1;
    }
    this.overPart = over / steps;
    return new Map([...this.#served].map(([teamId, ms]) => [teamId, ms / 1_000]));
  }

  async #repeat(load: Work): Promise<void> {
    const server = this.#servers[load.server];
    while (server?.isUp === true && !this.#unloaded.has(load.server)) {
      const slot = await this.#acquire(load);
      this.running += 1;
      await new Promise<void>((resolve) => void this.clock.after(load.runMs, resolve));
      this.running -= 1;
      this.#served.set(load.teamId, (this.#served.get(load.teamId) ?? 0) + load.runMs);
      slot.release(load.runMs);
    }
  }

  #acquire({ server, teamId, teamWeight = 1, runMs, isShared = true }: Work): Promise<Slot> {
    const { [server]: scheduler } = this.schedulers;
    if (scheduler === undefined) throw new Error("no such server");
    return scheduler.acquire({
      model: "m",
      sharedAs: isShared ? "engine m" : undefined,
      slots: this.#slots,
      teamId,
      teamWeight,
      workClass: "interactive",
      tokensExpected: runMs,
      signal: new AbortController().signal,
    });
  }

  #send(from: Server, topic: string, message: unknown): void {
    if (!from.isUp || this.isCut) return;
    this.sent += 1;
    const text = JSON.stringify(message);
    this.longest = Math.max(this.longest, text.length);
    if (this.oneIsLostOf > 0 && this.sent % this.oneIsLostOf === 0) return;
    this.clock.after(delayMs, () => {
      for (const server of this.#servers) {
        if (server === from || !server.isUp) continue;
        for (const [of, receive] of server.receivers) if (of === topic) receive(JSON.parse(text));
      }
    });
  }
}
