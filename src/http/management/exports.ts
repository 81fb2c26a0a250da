/** GET /admin/export/usage, /admin/export/ledger and /admin/export/audit, an extension: rows as CSV or JSON lines. */
import { Readable } from "node:stream";
import { z } from "zod";
import { toActor } from "../../accounts/visibility.js";
import { exportFormats, formatRows, type ExportKind } from "../../core/export/rows.js";
import type { ManagementEndpoint } from "../../accounts/principals/manager-permissions.js";
import { accountRoute, type AccountRoute } from "../server/route.js";
import { epochMs, parseFields, timeField } from "../../dialects/management/fields.js";

const querySchema = z.object({
  format: z.enum(exportFormats).nullish().describe("`jsonl` (the default): a JSON object on each line."),
  teamId: z.string().nullish().describe("Only this team; without it, all that the management key can see."),
  since: timeField.nullish().describe("Only what is from this time or later."),
  until: timeField.nullish().describe("Only what is from before this time."),
});

const contentTypes = { jsonl: "application/x-ndjson", csv: "text/csv" } as const;

/** Reads the first item. @returns all items */
async function withFirst<Item>(items: AsyncIterable<Item>): Promise<AsyncIterable<Item>> {
  const rest = items[Symbol.asyncIterator]();
  const first = await rest.next();
  return (async function* () {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  })();
}

/** An export. @param holds a sentence about its rows. It reads a page when the client has taken the one before. */
function exportRoute(
  kind: ExportKind,
  acl: ManagementEndpoint,
  operation: string,
  holds: string,
): AccountRoute {
  return accountRoute({
    method: "GET",
    path: `/admin/export/${kind}`,
    acl,
    docs: {
      operation,
      tag: kind === "audit" ? "Accounts" : "Billing",
      summary: `Export ${kind === "audit" ? "the audit log" : kind} as CSV or JSON lines`,
      description:
        `An extension of Hearth. ${holds} Amounts are exact, in USD. In CSV, text that a spreadsheet would take for a formula begins with ` +
        "an apostrophe.",
      query: querySchema,
      answers: { 200: { description: "The rows.", contentType: Object.values(contentTypes) } },
      errors: ["not_found"],
    },
    async handle({ ctx, manager }, { accounts }) {
      const { format, teamId, since, until } = parseFields(querySchema, ctx.query);
      const query = {
        teamId: teamId ?? null,
        from: since == null ? null : epochMs(since),
        to: until == null ? null : epochMs(until),
      };
      const { columns, pages } = await accounts.exports.open(kind, query, toActor(manager));
      // A failure of the first page is an answer of its own; a later one breaks the answer off.
      const begun = await withFirst(pages);
      const written = format ?? "jsonl";
      ctx.status = 200;
      ctx.type = contentTypes[written];
      ctx.set({
        "content-disposition": `attachment; filename="hearth-${kind}.${written}"`,
        "cache-control": "private, no-store",
      });
      // Koa sends no body for HEAD, and would leave a stream open.
      if (ctx.method !== "HEAD") ctx.body = Readable.from(formatRows(written, columns, begun));
    },
  });
}

export const exportUsage = exportRoute(
  "usage",
  "BillingRead",
  "exportUsage",
  "A row for each hour, team, model, name that the model was asked by, and key.",
);

export const exportLedger = exportRoute(
  "ledger",
  "BillingRead",
  "exportLedger",
  "A row for each entry of each transaction; the entries of a transaction sum to 0.",
);

export const exportAudit = exportRoute(
  "audit",
  "AuditRead",
  "exportAudit",
  "A row for each event, by time, with the object before and after the change as JSON.",
);
