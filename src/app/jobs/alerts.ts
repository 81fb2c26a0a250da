/** The part of the composition root that builds alerts: what is looked for, the queue of messages, and what sends them. */
import { statfs } from "node:fs/promises";
import type { Config } from "../../config/config.js";
import type { Clock } from "../../core/clock.js";
import type { Logger } from "../../core/logger.js";
import { usdToTicks } from "../../core/money.js";
import type { ModelRegistry } from "../../core/model.js";
import type { Random } from "../../core/random.js";
import { createEmailSender } from "../../jobs/alerts/senders/email.js";
import { webhookSecret } from "../../jobs/alerts/senders/signature.js";
import { createWebhookSender } from "../../jobs/alerts/senders/webhook.js";
import { readReceivers } from "../../jobs/alerts/senders/receivers.js";
import type { ServerMetrics } from "../../telemetry/metrics/server-metrics.js";
import { createAlertService } from "../../jobs/alerts/alerts.js";
import { budgetSource, refusedBudgetSource } from "../../jobs/alerts/conditions/budgets.js";
import { creditSource } from "../../jobs/alerts/conditions/credit.js";
import { createOtherServers, ofNamedServer } from "../../jobs/alerts/conditions/other-servers.js";
import type { RefusedBudgets } from "../../jobs/alerts/conditions/refused-budgets.js";
import { type DiskSpace, serverSources } from "../../jobs/alerts/conditions/server.js";
import { DeliveryQueue } from "../../jobs/alerts/deliveries.js";
import { AlertMonitor } from "../../jobs/alerts/monitor.js";
import { version } from "../../system/version.js";
import { nameServer } from "../stores/open-database.js";
import type { Stores } from "../stores/stores.js";

interface AlertDeps {
  readonly stores: Stores;
  readonly models: ModelRegistry;
  readonly metrics: ServerMetrics;
  readonly refused: RefusedBudgets;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Returns the space of the disk of a folder; absent: as the system says. */
  readonly diskSpace?: (folder: string) => Promise<DiskSpace>;
}

const secondMs = 1000;
const hourMs = 3_600_000;

/** Builds alerts; nothing is looked for or sent before `start`. @throws Error naming an invalid setting. */
export function buildAlerts(config: Config, deps: AlertDeps) {
  const { stores, clock, random, logger } = deps;
  const senders = createSenders(config);
  const { broadcast, nodes, alertChannels: channels, alertDeliveries: deliveries } = stores;
  const leads = (): Promise<boolean> => nodes.leads("alerts");
  const common = { ...stores, channels, deliveries, leads, clock, random };
  const queue = new DeliveryQueue({
    ...common,
    senders,
    onError: (err) => logger.error({ err }, "messages of alerts could not be processed"),
  });
  const creditTicks = usdToTicks(String(config.alertCreditUsd));
  const monitor = new AlertMonitor({
    ...common,
    queue,
    ...createSources(config, deps, creditTicks),
    others: createOtherServers(broadcast, clock, nameServer(config)),
    limits: {
      checkEveryMs: config.alertCheckSeconds * secondMs,
      repeatEveryMs: config.alertRepeatHours * hourMs,
      creditTicks,
    },
    onError: (err) => logger.error({ err }, "alerts could not be checked"),
  });
  return {
    service: createAlertService({ ...common, queue, senders, toSecret: webhookSecret }),
    start(): void {
      queue.start();
      monitor.start();
    },
    /** Ends what is being sent; it is sent again at the next start. */
    async close(): Promise<void> {
      await monitor.close();
      await queue.close();
    },
  };
}

function createSenders({ alertHosts, smtpUrl, smtpFrom, smtpCa }: Config) {
  const receivers = readReceivers(alertHosts, "alertHosts");
  const email =
    smtpUrl === null || smtpFrom === null ? null : { url: smtpUrl, from: smtpFrom, caFile: smtpCa };
  return {
    webhook: createWebhookSender({ receivers, version }),
    email: createEmailSender(email),
  };
}

function createSources(
  config: Config,
  { stores, models, metrics, refused, diskSpace }: AlertDeps,
  creditTicks: number,
) {
  const space = diskSpace ?? readSpace;
  const ofServer = serverSources({
    models,
    modelsNotLoaded: () => metrics.modelsNotLoaded(),
    recentFaults: (minutes) => metrics.recentFaults(minutes),
    disk: () => space(config.data),
    limits: {
      errorPercent: config.alertErrorPercent,
      errorMinutes: config.alertErrorMinutes,
      diskFreePercent: config.alertDiskFreePercent,
    },
  });
  const { isShared } = stores.nodes;
  const named = isShared ? ofServer.map((source) => ofNamedServer(source, nameServer(config))) : ofServer;
  return {
    sources: [budgetSource(stores), creditSource({ ...stores, creditTicks })],
    ownSources: [refusedBudgetSource(stores, () => refused.take()), ...named],
  };
}

async function readSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
