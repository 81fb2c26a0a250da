/**
 * One server of a database checks and sends alerts for all. The others send it what only they can see: their models, their failing
 * requests, their disks, and the budgets that have refused their requests.
 */
import { z } from "zod";
import { alertKinds, type AlertKind } from "../../../core/report/alerts.js";
import type { Clock } from "../../../core/clock.js";
import type { Broadcast } from "../../../core/broadcast.js";
import type { Condition } from "../alert.js";
import type { ConditionSource } from "../conditions.js";

const topic = "alert conditions";

const message = z.object({
  server: z.string(),
  conditions: z.array(
    z.object({
      kind: z.enum(alertKinds),
      subject: z.string(),
      teamId: z.string().nullable(),
      message: z.string(),
      details: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
    }),
  ),
});

export type OtherServers = ReturnType<typeof createOtherServers>;

/** @param server the name of this server */
export function createOtherServers(broadcast: Broadcast, clock: Clock, server: string) {
  const reports = new Map<string, { readonly time: number; readonly conditions: readonly Condition[] }>();
  broadcast.on(topic, (received) => {
    const report = message.parse(received);
    reports.delete(report.server);
    reports.set(report.server, { time: clock.now(), conditions: report.conditions });
    const [oldest] = reports.keys();
    if (reports.size > serversMax && oldest !== undefined) reports.delete(oldest);
  });
  return {
    /** Sends the conditions of this server to the others. */
    report: (conditions: readonly Condition[]): void => broadcast.send(topic, { server, conditions }),
    /** Returns what the others have reported in this time. */
    conditions: (withinMs: number): readonly Condition[] =>
      [...reports.values()].flatMap(({ time, conditions }) =>
        clock.now() - time <= withinMs ? conditions : [],
      ),
  };
}

const serversMax = 10_000;

const ofServer: readonly AlertKind[] = ["model_unavailable", "error_rate", "disk_low"];

/** Returns the source with the name of its server in the conditions of a server: each has its own. */
export function ofNamedServer(source: ConditionSource, server: string): ConditionSource {
  return async (situation) =>
    (await source(situation)).map((condition) =>
      ofServer.includes(condition.kind)
        ? {
            ...condition,
            subject: `${condition.subject}@${server}`,
            message: `Server ${server}: ${condition.message}`,
            details: { ...condition.details, server },
          }
        : condition,
    );
}
