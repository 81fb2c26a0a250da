/**
 * Looks for what is wrong, at an interval, on one of the servers that share a database, and writes what changed: an alert is raised once, repeated while it goes on, and resolved
 * once. It is written with its messages in one transaction, so that a process that dies loses none of them.
 *
 * States of an alert: active -> resolved. While its condition comes and goes, it stays active.
 */
import type { TeamStore } from "../../accounts/teams/store.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { Ticks } from "../../core/money.js";
import type { Random } from "../../core/random.js";
import type { Write, Writes } from "../../store/writes.js";
import type { AlertEvent, AlertKind } from "../../core/report/alerts.js";
import type { Alert, AlertChannel, Condition } from "./alert.js";
import type { ConditionSource } from "./conditions.js";
import type { DeliveryQueue } from "./deliveries.js";
import type { OtherServers } from "./conditions/other-servers.js";
import { alertMessage, newDelivery } from "./message.js";
import type { AlertStore } from "./store/alerts.js";
import type { ChannelStore } from "./store/channels.js";
import type { DeliveryStore } from "./store/deliveries.js";
import { readCreditTicks } from "./conditions/credit.js";

interface MonitorDeps {
  /** What every server of the database finds. */
  readonly sources: readonly ConditionSource[];
  /** What only this server finds. */
  readonly ownSources: readonly ConditionSource[];
  readonly others: OtherServers;
  /** Returns whether this server checks for all. */
  readonly leads: () => Promise<boolean>;
  readonly alerts: AlertStore;
  readonly channels: ChannelStore;
  readonly deliveries: DeliveryStore;
  readonly queue: DeliveryQueue;
  readonly teams: TeamStore;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: MonitorLimits;
  /** Called when a check fails; the next one tries again. */
  readonly onError: (thrown: unknown) => void;
}

interface MonitorLimits {
  /** 0: nothing is looked for. */
  readonly checkEveryMs: number;
  readonly repeatEveryMs: number;
  /** For channels without an amount of their own. */
  readonly creditTicks: Ticks;
}

/** How long alerts and deliveries are stored after their end. */
const keptMs = 30 * 86_400_000;
const deletedMax = 100;
/** Alerts that may be active; others wait until one is resolved. */
const activeMax = 10_000;

/** Checks whose report of another server may be lost before its conditions are over. */
const reportsMissedMax = 3;

/** How long a condition must be over before its alert is; what is spent and the credit do not come and go. */
const quietMs: Readonly<Partial<Record<AlertKind, number>>> = {
  model_unavailable: 60_000,
  error_rate: 300_000,
  disk_low: 300_000,
};

export class AlertMonitor {
  readonly #deps: MonitorDeps;
  /** Since when the conditions of active alerts are over. */
  readonly #quietSince = new Map<string, number>();
  #isRunning = false;
  #checking: Promise<void> = Promise.resolve();
  #stopTimer = (): void => undefined;

  constructor(deps: MonitorDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#isRunning = this.#deps.limits.checkEveryMs > 0;
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isRunning = false;
    this.#stopTimer();
    await this.#checking;
  }

  #schedule(): void {
    if (!this.#isRunning) return;
    this.#stopTimer = this.#deps.clock.after(this.#deps.limits.checkEveryMs, () => {
      this.#checking = this.#check()
        .catch((thrown: unknown) => this.#deps.onError(thrown))
        .then(() => this.#schedule());
    });
  }

  async #check(): Promise<void> {
    const { sources, ownSources, others, leads, limits, alerts, channels, deliveries, clock } = this.#deps;
    const now = clock.now();
    const situation = { now, channels: await channels.list(null), active: await alerts.active() };
    const read = async (all: readonly ConditionSource[]): Promise<readonly Condition[]> =>
      (await Promise.all(all.map((source) => source(situation)))).flat();
    const own = await read(ownSources);
    if (!(await leads())) return others.report(own);
    const reported = others.conditions(reportsMissedMax * limits.checkEveryMs);
    const found = [...own, ...reported, ...(await read(sources))];
    const conditions = new Map(found.map((condition) => [toName(condition), condition]));
    const active = new Set(situation.active.map(toName));
    for (const alert of situation.active) await this.#follow(alert, conditions, situation.channels);
    const raised = [...conditions.values()].filter((condition) => !active.has(toName(condition)));
    for (const condition of raised.slice(0, Math.max(0, activeMax - active.size)))
      await this.#raise(condition, situation.channels);
    await deliveries.deleteEnded(now - keptMs, deletedMax);
    await alerts.deleteResolved(now - keptMs, deletedMax);
  }

  async #raise(condition: Condition, channels: readonly AlertChannel[]): Promise<void> {
    const { alerts, clock, random } = this.#deps;
    const now = clock.now();
    const alert: Alert = { ...condition, id: random.id(), raiseTime: now, sendTime: now, resolveTime: null };
    await this.#write("raised", alert, alerts.insertion(alert), channels);
  }

  /** Repeats an alert that goes on, and resolves one that is over. */
  async #follow(
    alert: Alert,
    conditions: ReadonlyMap<string, Condition>,
    channels: readonly AlertChannel[],
  ): Promise<void> {
    const { alerts, clock, limits } = this.#deps;
    const now = clock.now();
    const condition = conditions.get(toName(alert));
    if (condition !== undefined) {
      this.#quietSince.delete(alert.id);
      if (now - alert.sendTime < limits.repeatEveryMs) return;
      const { message, details } = condition;
      return this.#write(
        "repeated",
        { ...alert, message, details },
        alerts.repetition(alert.id, now),
        channels,
      );
    }
    const since = this.#quietSince.get(alert.id) ?? now;
    this.#quietSince.set(alert.id, since);
    if (now - since < (quietMs[alert.kind] ?? 0)) return;
    this.#quietSince.delete(alert.id);
    await this.#write("resolved", { ...alert, resolveTime: now }, alerts.resolution(alert.id, now), channels);
  }

  async #write(
    event: Exclude<AlertEvent, "test">,
    alert: Alert,
    change: Write,
    channels: readonly AlertChannel[],
  ): Promise<void> {
    const { deliveries, queue, teams, writes, clock, random, limits } = this.#deps;
    const now = clock.now();
    const teamName = alert.teamId === null ? null : ((await teams.find(alert.teamId))?.name ?? null);
    const message = alertMessage(event, alert, { teamName, now });
    const sent = channels
      .filter((channel) => isFor(alert, channel, limits.creditTicks))
      .map((channel) => deliveries.insertion(newDelivery(`msg_${random.id()}`, channel, message, now)));
    try {
      await writes.commit([change, ...sent]);
    } catch (thrown) {
      // Another process has written it, or a channel was removed meanwhile: the next check sees that.
      if (!(thrown instanceof HearthError) || thrown.kind !== "conflict") throw thrown;
    }
    queue.wake();
  }
}

function toName({ kind, subject }: Condition): string {
  return `${kind} ${subject}`;
}

/** Whether a channel gets an alert. @param creditTicks the amount of channels without one of their own. */
function isFor({ kind, teamId, subject }: Alert, channel: AlertChannel, creditTicks: Ticks): boolean {
  const isSeen = channel.teamId === null || channel.teamId === teamId;
  if (!isSeen || kind !== "credit_low") return isSeen;
  return readCreditTicks({ subject }) === (channel.creditTicks ?? creditTicks);
}
