/**
 * The connection to Redis, which is opened again when it is lost. It is up or down:
 *
 * - up: calls are sent. One that fails, or is not answered in time, makes it down: the others then need not wait as long.
 * - down: calls fail at once. It connects after 100 milliseconds, then after twice as long each time, up to 5 seconds, and is up when Redis
 *   has counted something on trial: one that starts, that is a replica, or whose memory is full, is not up.
 */
import type { Clock } from "../../../core/clock.js";
import { explainFailure } from "../../../system/file-errors.js";
import type { RedisClient } from "./client.js";
import { take, type Script } from "./scripts.js";

interface RedisConnectionDeps {
  readonly url: string;
  /** Keys begin with it. */
  readonly prefix: string;
  /** How long a call may take. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Called when the connection is down, with the reason, and with null when it is up again. */
  readonly onChange: (problem: string | null) => void;
}

/** How long a connection may take until Redis has counted on trial. */
const connectMsMax = 2_000;
const retryMs = { first: 100, max: 5_000 } as const;
/** A connection that was up for so long is opened again soon. */
const steadyMs = 10_000;

type State =
  | { readonly type: "up"; readonly client: RedisClient; readonly since: number }
  | { readonly type: "down"; readonly problem: string };

export class RedisConnection {
  readonly #deps: RedisConnectionDeps;
  #state: State = { type: "down", problem: "it has not been connected yet" };
  /** Whether its being down was reported. */
  #isReported = false;
  #failures = 0;
  #stopTimer: () => void = () => undefined;
  #isClosed = false;

  constructor(deps: RedisConnectionDeps) {
    this.#deps = deps;
  }

  /** Connects. Resolves when that has succeeded or failed for the first time. */
  start(): Promise<void> {
    return this.#connect();
  }

  /** Runs a script. @throws Error at once when the connection is down, else within the timeout. */
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    return this.#call((client) => client.run(script, keys, values));
  }

  /** Returns the information of Redis's INFO command: lines `name:value`. @throws Error as above. */
  info(): Promise<string> {
    return this.#call((client) => client.info());
  }

  async #call<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    const state = this.#state;
    if (state.type === "down") throw new Error(`Redis cannot be used: ${state.problem}`);
    const { client } = state;
    try {
      return await within(this.#deps.clock, this.#deps.timeoutMs, work(client));
    } catch (thrown) {
      this.#lose(client, thrown);
      throw thrown;
    }
  }

  /** Returns why Redis cannot be used; null when it can. */
  problem(): string | null {
    return this.#state.type === "up" ? null : this.#state.problem;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
    if (this.#state.type === "up") this.#state.client.close();
    this.#state = { type: "down", problem: "the server is closed" };
  }

  async #connect(): Promise<void> {
    const { clock, url, prefix } = this.#deps;
    const { createRedisClient } = await import("./client.js");
    const client = createRedisClient({
      url,
      connectMsMax,
      onLost: (thrown) => this.#lose(client, thrown),
    });
    const tryOut = async (): Promise<void> => {
      await client.connect();
      await client.run(take, [`${prefix}trial`], ["", "0", "0", "1000", "1000000000", "1"]);
    };
    try {
      await within(clock, connectMsMax, tryOut());
    } catch (thrown) {
      client.close();
      return this.#becomeDown(thrown);
    }
    if (this.#isClosed) return client.close();
    this.#state = { type: "up", client, since: clock.monotonic() };
    if (this.#isReported) this.#deps.onChange(null);
    this.#isReported = false;
  }

  /** Does nothing for a client that is not the current one. */
  #lose(client: RedisClient, thrown: unknown): void {
    const state = this.#state;
    if (state.type === "down" || state.client !== client) return;
    if (this.#deps.clock.monotonic() - state.since >= steadyMs) this.#failures = 0;
    client.close();
    this.#becomeDown(thrown);
  }

  #becomeDown(thrown: unknown): void {
    if (this.#isClosed) return;
    this.#state = { type: "down", problem: explainFailure(thrown) };
    if (!this.#isReported) this.#deps.onChange(this.#state.problem);
    this.#isReported = true;
    const delayMs = Math.min(retryMs.max, retryMs.first * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 10);
    this.#stopTimer = this.#deps.clock.after(delayMs, () => void this.#connect());
  }
}

/** @throws Error when the work takes longer. */
async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  let stop: () => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    stop = clock.after(ms, () => reject(new Error(`it did not answer within ${ms} ms`)));
  });
  // A result or an error that comes later is ignored.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}
