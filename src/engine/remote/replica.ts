/** One server of a remote engine: its state, by regular checks and by the requests that fail, and what its slots hold. */
import type { Clock } from "../../core/clock.js";
import { checkServer, sampleTokens } from "./check.js";
import { describeFailure, readHost } from "./errors.js";
import type { Server } from "./http.js";
import type { RemoteKind, ServerProperties } from "./protocol.js";
import { SlotTable } from "./slots.js";

/** A server of texts may be another's, which counts requests. */
const checkMs = { ready: 5_000, readyTexts: 60_000, firstFailure: 1_000, failureMax: 15_000 } as const;

/**
 * unchecked -> ready | starting | unreachable | refused | unlike, by a check every few seconds. A request that fails before its first
 * token makes it unreachable until the next check; requests go to servers that are ready only.
 */
type ReplicaState = "unchecked" | "ready" | "starting" | "unreachable" | "refused" | "unlike";

interface ReplicaDeps {
  readonly kind: RemoteKind;
  readonly server: Server;
  readonly modelName: string;
  readonly clock: Clock;
  readonly log: (level: "warn" | "error", message: string) => void;
}

export class Replica {
  readonly #deps: ReplicaDeps;
  readonly slots = new SlotTable();
  readonly alone = new AloneGate();
  state: ReplicaState = "unchecked";
  #reason = "";
  #properties: ServerProperties | null = null;
  #running = 0;
  /** By the monotonic clock. */
  #checkedAt = 0;
  #failures = 0;
  /** Tokens of the sample text; null: not known yet. */
  #expected: readonly number[] | null = null;
  /** Whether it was found to cut text so since it has become ready. */
  #isVerified = false;
  #checking: Promise<void> | null = null;
  #stopTimer: () => void = () => undefined;
  #isClosed = false;
  /** Whether other clients were seen to use its slots. */
  isShared = false;

  constructor(deps: ReplicaDeps) {
    this.#deps = deps;
  }

  get url(): string {
    return this.#deps.server.url;
  }

  get server(): Server {
    return this.#deps.server;
  }

  get properties(): ServerProperties | null {
    return this.#properties;
  }

  /** Generations of this server on it, or what it reports where that is more. */
  get load(): number {
    return Math.max(this.#running, this.#properties?.requests ?? 0);
  }

  /** Whether requests may go to it: it is ready, and cuts text as it must. */
  get isUsable(): boolean {
    return this.state === "ready" && (this.#expected === null || this.#isVerified);
  }

  get capacity(): number {
    return this.state === "ready" ? (this.#properties?.slots ?? Number.POSITIVE_INFINITY) : 0;
  }

  /** Its state in plain words. */
  get description(): string {
    const host = readHost(this.url);
    switch (this.state) {
      case "ready":
        return `${host} is ready`;
      case "starting":
        return `${host} is loading its model`;
      case "refused":
        return `${host} refuses the apiKey of its settings`;
      case "unchecked":
        return `${host} was not asked yet`;
      case "unlike":
        return `${host} runs another model than the file here is of: it cuts text into other tokens`;
      case "unreachable":
        return `${host}: ${this.#reason}`;
    }
  }

  /** Whether its last checks have failed, more than one in a row: a busy server may miss one. */
  get isFailing(): boolean {
    return this.state !== "ready" && this.#failures > 1;
  }

  /** Counts a generation. @returns what ends it */
  enter(): () => void {
    this.#running += 1;
    let isIn = true;
    return () => {
      if (isIn) this.#running -= 1;
      isIn = false;
    };
  }

  /** Sets what the sample text must be cut into, and checks it unless that was done. */
  async expect(tokens: readonly number[]): Promise<void> {
    this.#expected ??= tokens;
    // A check that had begun before does not compare them.
    for (let times = 0; times < 2 && this.state === "ready" && !this.#isVerified; times += 1)
      await this.check();
  }

  /** Records that a request failed. */
  fail(thrown: unknown): void {
    this.#become("unreachable", describeFailure(thrown, this.url));
    this.#plan();
  }

  /** Checks now, and then regularly. */
  check(): Promise<void> {
    return (this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
      this.#plan();
    }));
  }

  /** Checks unless that was done less than so many milliseconds ago. */
  checkAgain(afterMs: number): void {
    if (this.#deps.clock.monotonic() - this.#checkedAt >= afterMs) void this.check();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  async #check(): Promise<void> {
    const { kind, server, modelName, clock } = this.#deps;
    this.#checkedAt = clock.monotonic();
    try {
      const found = await checkServer(kind, server, [modelName]);
      if (found.type !== "ready") return this.#become(found.type, "");
      if (this.#expected !== null && !this.#isVerified) {
        const tokens = await sampleTokens(kind, server, modelName);
        if (tokens.join() !== this.#expected.join()) return this.#become("unlike", "");
        this.#isVerified = true;
      }
      if (this.state !== "ready") this.slots.reset(found.properties.slots ?? 0);
      this.#properties = found.properties;
      this.#become("ready", "");
    } catch (thrown) {
      this.#become("unreachable", describeFailure(thrown, this.url));
    }
  }

  #become(state: ReplicaState, reason: string): void {
    const before = this.state;
    this.state = state;
    this.#reason = reason;
    this.#failures = state === "ready" ? 0 : this.#failures + 1;
    if (state !== "ready") this.#isVerified = false;
    if (state === before) return;
    if (state !== "ready") this.#deps.log("warn", `the engine ${this.description}`);
  }

  #plan(): void {
    this.#stopTimer();
    if (this.#isClosed) return;
    const { firstFailure, failureMax } = checkMs;
    const ready = this.#deps.kind === "openai" ? checkMs.readyTexts : checkMs.ready;
    const waitMs =
      this.state === "ready"
        ? ready
        : Math.min(failureMax, firstFailure * 2 ** Math.max(0, this.#failures - 1));
    this.#stopTimer = this.#deps.clock.after(waitMs, () => void this.check());
  }
}

interface Waiting {
  readonly isAlone: boolean;
  readonly enter: () => void;
}

/** Generations that run alone on a server, and those that share it; both in the order in which they come. */
class AloneGate {
  #sharing = 0;
  #isTaken = false;
  readonly #waiting: Waiting[] = [];

  /** Waits until it may begin. @returns what ends it. @throws the signal's reason when it aborts while it waits */
  async enter(isAlone: boolean, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leaveQueue = (): void => {
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
        this.#admit();
        reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      };
      const enter = (): void => {
        signal.removeEventListener("abort", leaveQueue);
        resolve();
      };
      const waiting = { isAlone, enter };
      signal.addEventListener("abort", leaveQueue, { once: true });
      this.#waiting.push(waiting);
      this.#admit();
    });
    return () => {
      if (isAlone) this.#isTaken = false;
      else this.#sharing -= 1;
      this.#admit();
    };
  }

  #admit(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || this.#isTaken || (next.isAlone && this.#sharing > 0)) return;
      this.#waiting.shift();
      if (next.isAlone) this.#isTaken = true;
      else this.#sharing += 1;
      next.enter();
    }
  }
}
