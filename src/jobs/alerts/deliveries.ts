/**
 * The queue of messages to channels, which is on disk. A message is attempted until its receiver accepts it, with growing pauses; after
 * a day it is dead. One whose process died while it was sent is sent again, with the same id.
 *
 * States of a delivery: queued -> delivered or dead.
 */
import type { AlertSender } from "../../core/report/alerts.js";
import type { Clock } from "../../core/clock.js";
import type { Broadcast } from "../../core/broadcast.js";
import type { Writes } from "../../store/writes.js";
import type { AlertDelivery, ChannelKind } from "./alert.js";
import type { ChannelStore } from "./store/channels.js";
import type { DeliveryStore } from "./store/deliveries.js";

interface DeliveryQueueDeps {
  readonly deliveries: DeliveryStore;
  readonly channels: ChannelStore;
  readonly senders: Readonly<Record<ChannelKind, AlertSender>>;
  readonly writes: Writes;
  readonly broadcast: Broadcast;
  /** Returns whether this server sends for all that share the database. */
  readonly leads: () => Promise<boolean>;
  readonly clock: Clock;
  /** Called when the queue cannot be read or written; it is tried again. */
  readonly onError: (thrown: unknown) => void;
}

const news = "alert deliveries";
const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Pauses after the first failed attempts; the last one is kept. */
const pausesMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
];

/** When a message that was never accepted is dead. */
const deadAfterMs = 24 * hourMs;
const attemptMsMax = 15 * secondMs;
const activeMax = 4;
/** Longest wait before the queue is read again. */
const lookEveryMs = minuteMs;
const errorCharsMax = 500;
/** Messages of all channels of a team in a day. */
const messagesPerDayMax: Readonly<Record<ChannelKind, number>> = { email: 100, webhook: 2000 };

export class DeliveryQueue {
  readonly #deps: DeliveryQueueDeps;
  readonly #active = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();
  /** Messages to the channels of each team. This server sends for all that share the database. */
  readonly #sent = createDailyCounts();
  #isRunning = false;
  #looking: Promise<void> | null = null;
  #looksAgain = false;
  #stopTimer = (): void => undefined;

  constructor(deps: DeliveryQueueDeps) {
    this.#deps = deps;
    deps.broadcast.on(news, () => this.#wakeHere());
  }

  /** Starts with what the former process left. */
  start(): void {
    this.#isRunning = true;
    this.#wakeHere();
  }

  /** Looks for messages that were written. */
  wake(): void {
    this.#deps.broadcast.send(news, {});
    this.#wakeHere();
  }

  #wakeHere(): void {
    if (!this.#isRunning) return;
    if (this.#looking !== null) {
      this.#looksAgain = true;
      return;
    }
    this.#stopTimer();
    this.#looking = this.#look()
      .catch((thrown: unknown) => {
        this.#deps.onError(thrown);
        return lookEveryMs;
      })
      .then((waitMs) => {
        this.#looking = null;
        if (this.#looksAgain) {
          this.#looksAgain = false;
          return this.#wakeHere();
        }
        if (this.#isRunning) this.#stopTimer = this.#deps.clock.after(waitMs, () => this.#wakeHere());
      });
  }

  /** Aborts what is being sent; it is sent again at the next start. */
  async close(): Promise<void> {
    this.#isRunning = false;
    this.#stopTimer();
    await this.#looking;
    const active = [...this.#active.values()];
    for (const { abort } of active) abort.abort(new Error("the server is closing"));
    await Promise.all(active.map(({ done }) => done));
  }

  /** Starts what is due. @returns how long to wait before it looks again. */
  async #look(): Promise<number> {
    const { deliveries, leads, clock } = this.#deps;
    if (!(await leads())) return lookEveryMs;
    const now = clock.now();
    const due = await deliveries.due(now, [...this.#active.keys()], activeMax - this.#active.size);
    for (const delivery of due) {
      const abort = new AbortController();
      const done = this.#attempt(delivery, abort)
        .catch((thrown: unknown) => this.#deps.onError(thrown))
        .finally(() => {
          this.#active.delete(delivery.id);
          this.#wakeHere();
        });
      this.#active.set(delivery.id, { abort, done });
    }
    const next = await deliveries.nextTime([...this.#active.keys()]);
    // With as many as may be, the end of one wakes the queue.
    if (next === null || this.#active.size >= activeMax) return lookEveryMs;
    return Math.min(lookEveryMs, Math.max(secondMs, next - now));
  }

  async #attempt(delivery: AlertDelivery, abort: AbortController): Promise<void> {
    const { channels, senders, clock } = this.#deps;
    const channel = await channels.find(delivery.channelId);
    if (channel === null) return;
    const { kind, teamId } = channel;
    const isOfTeam = teamId !== null;
    if (
      isOfTeam &&
      delivery.attempts === 0 &&
      !this.#sent.admit(`${kind} ${teamId}`, messagesPerDayMax[kind], clock.now())
    )
      return this.#end(delivery, "dead", `the team has sent ${messagesPerDayMax[kind]} messages in a day`);
    const stop = clock.after(attemptMsMax, () => abort.abort(new Error("the receiver took too long")));
    const { target, secret } = channel;
    try {
      const message = { id: delivery.id, body: delivery.body, target, secret, isOfTeam, time: clock.now() };
      await senders[kind].send(message, abort.signal);
      await this.#end(delivery, "delivered", null);
    } catch (thrown) {
      if (this.#isRunning) await this.#fail(delivery, thrown);
    } finally {
      stop();
    }
  }

  async #fail(delivery: AlertDelivery, thrown: unknown): Promise<void> {
    const { deliveries, writes, clock } = this.#deps;
    const error = (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, errorCharsMax);
    const pauseMs = pausesMs[Math.min(delivery.attempts, pausesMs.length - 1)] ?? hourMs;
    const nextTime = clock.now() + pauseMs;
    if (nextTime >= delivery.createTime + deadAfterMs) return this.#end(delivery, "dead", error);
    const attempts = delivery.attempts + 1;
    await writes.commit([
      deliveries.attempt(delivery.id, { state: "queued", attempts, nextTime, endTime: null, error }),
    ]);
  }

  async #end(delivery: AlertDelivery, state: "delivered" | "dead", error: string | null): Promise<void> {
    const { deliveries, writes, clock } = this.#deps;
    const { id, nextTime } = delivery;
    const attempts = delivery.attempts + 1;
    await writes.commit([deliveries.attempt(id, { state, attempts, nextTime, endTime: clock.now(), error })]);
  }
}

/** Counts over the last 24 hours, by name, in memory. */
const dayMs = 86_400_000;

function createDailyCounts() {
  const times = new Map<string, readonly number[]>();
  return {
    /** Counts one more unless there were `max` in the last 24 hours. @param now milliseconds since the epoch @returns whether it was counted */
    admit(name: string, max: number, now: number): boolean {
      const recent = (times.get(name) ?? []).filter((time) => time > now - dayMs && time <= now);
      const isAdmitted = recent.length < max;
      times.set(name, isAdmitted ? [...recent, now] : recent);
      return isAdmitted;
    },
  };
}
