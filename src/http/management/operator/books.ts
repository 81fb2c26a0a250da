/** The newest events of the audit log, exact usage, and the check of the ledger, as commands of the operator show them. */
import { PassThrough } from "node:stream";
import { z } from "zod";
import type { UsageReport } from "../../../accounts/usage/usage-reports.js";
import type { UsageSums } from "../../../accounts/money/usage-report.js";
import { toActor } from "../../../accounts/visibility.js";
import { ticksToUsd } from "../../../core/money.js";
import { parseFields } from "../../../dialects/management/fields.js";
import type { OperatorRoute } from "../../server/route.js";
import { presentAuditEvent } from "../audit-events.js";

const auditSchema = z.object({ limit: z.coerce.number().int().min(1) });

/** Lists the newest events of the server and of all teams. */
export const listNewestEvents: OperatorRoute = {
  method: "GET",
  path: "/operator/audit-events",
  async handle({ ctx }, { accounts }) {
    const events = await accounts.auditLog.newest(parseFields(auditSchema, ctx.query).limit);
    ctx.body = {
      events: events.map((event) => ({
        ...presentAuditEvent(event),
        teamId: event.teamId ?? undefined,
      })),
    };
  },
};

const usageSchema = z.object({
  teamId: z.string().nullish(),
  /** Milliseconds since the epoch; `to` likewise. */
  from: z.number(),
  to: z.number(),
  unit: z.enum(["hour", "day"]).nullable(),
  by: z.array(z.enum(["key", "model", "team", "tag", "user"])).max(1),
  label: z.object({ kind: z.enum(["tag", "user"]), label: z.string() }).nullable(),
  /** Whether costs at the prices of hosted services are reported, too. */
  hosted: z.boolean(),
});

const rowsMax = 100_000;

/** Reports usage. Its costs have all digits. */
export const reportUsage: OperatorRoute = {
  method: "POST",
  path: "/operator/usage",
  async handle({ ctx, manager, body }, { accounts, readModels }) {
    const { hosted, teamId = null, ...query } = parseFields(usageSchema, body);
    const models = hosted ? (await readModels()).list().map(({ manifest }) => manifest) : null;
    const order = query.by.length === 0 ? "time" : "cost";
    const report = await accounts.usage.report(
      { ...query, teamId, order, rowsMax, top: null, hosted: models },
      toActor(manager),
    );
    ctx.body = presentUsage(report);
  },
};

export type OperatorUsage = ReturnType<typeof presentUsage>;

function presentUsage({ rows, total }: UsageReport) {
  return {
    rows: rows.map(({ time, group, ...sums }) => ({ time, group, sums: presentSums(sums) })),
    total: presentSums(total),
  };
}

/** Money is decimal text: a float would round it. */
function presentSums({ runs, usage, hosted, costTicks }: UsageSums) {
  return {
    runs,
    promptTokens: usage.promptTokens,
    cachedTokens: usage.cachedTokens,
    imageTokens: usage.imageTokens,
    completionTokens: usage.completionTokens,
    reasoningTokens: usage.reasoningTokens,
    images: usage.images ?? 0,
    costUsd: ticksToUsd(costTicks),
    hostedUsd: hosted.runs === 0 ? null : ticksToUsd(hosted.ticks),
    hostedRuns: hosted.runs,
    hostedTokens: hosted.tokens,
  };
}

/** Recomputes the ledger. The answer is lines of JSON: how far it is, and at last the problems. */
export const checkLedger: OperatorRoute = {
  method: "GET",
  path: "/operator/ledger-check",
  handle({ ctx }, { accounts }) {
    const lines = new PassThrough();
    const write = (line: object): void => void lines.write(`${JSON.stringify(line)}\n`);
    accounts.ledger
      .verify((progress) => write({ progress }))
      .then(
        (problems) => lines.end(`${JSON.stringify({ problems })}\n`),
        (thrown: unknown) => lines.destroy(thrown instanceof Error ? thrown : new Error(String(thrown))),
      );
    ctx.type = "application/x-ndjson";
    ctx.body = lines;
  },
};
