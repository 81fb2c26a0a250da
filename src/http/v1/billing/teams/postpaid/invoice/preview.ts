/** GET /v1/billing/teams/{teamId}/postpaid/invoice/preview: a team's usage of the current month as an invoice. */
import { z } from "zod";
import { actorOf } from "../../../../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../../../../accounts/management-keys/permissions.js";
import { effectiveLimit, monthOf, monthStart } from "../../../../../../accounts/money/spending.js";
import { dayMs, type UsageSums } from "../../../../../../accounts/usage/usage-report.js";
import { responseObject, responseArray } from "../../../../../../dialects/response-fields.js";
import type { HttpDeps } from "../../../../../deps.js";
import { cents, centsText, centsUp, centsDown } from "../../../../../management/cents.js";
import type { ManagementCall } from "../../../../../route.js";
import type { RouteDocs } from "../../../../../route-docs.js";

const linesMax = 10_000;

const previewSchema = responseObject({
  coreInvoice: responseObject({
    lines: responseArray(
      responseObject({
        description: z.string().describe("Id of a model."),
        unitType: z.literal("tokens"),
        numUnits: z
          .string()
          .describe("Prompt, completion and reasoning tokens: a whole number, as a string."),
        amount: centsText,
      }).meta({ id: "InvoiceLine" }),
    ).describe(
      "Highest cost first. Each amount is rounded up; the total is the rounded sum of the exact amounts.",
    ),
    amountBeforeVat: centsText,
    vatCost: z.literal("0"),
    amountAfterVat: centsText,
  }),
  effectiveSpendingLimit: centsText.optional().describe("Absent if there is none."),
  defaultCredits: cents,
  billingCycle: responseObject({
    year: z.number().meta({ type: "integer" }),
    month: z.number().meta({ type: "integer" }),
  }),
}).meta({ id: "InvoicePreview" });

/** Returns the invoice of the current month so far. */
export function getInvoicePreview({
  accounts,
  clock,
}: Pick<HttpDeps, "accounts" | "clock">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params, route }) => {
    authoriseManager(manager, route.endpointAcl);
    const [teamId, actor] = [params["teamId"] ?? "", actorOf(manager)];
    const month = monthOf(clock.now());
    const from = monthStart(month);
    const to = monthStart(monthOf(from + 31 * dayMs));
    const { rows, total } = await accounts.usage.report(
      { teamId, from, to, unit: null, by: ["model"], order: "cost", hosted: null, rowsMax: linesMax },
      actor,
    );
    const { limits } = await accounts.spending.find(teamId, actor);
    const limit = centsDown(effectiveLimit(limits));
    const amount = centsUp(total.costTicks);
    const answer: z.infer<typeof previewSchema> = {
      coreInvoice: {
        lines: rows.map((row) => presentLine(row.group[0]?.id ?? "", row)),
        amountBeforeVat: amount,
        vatCost: "0",
        amountAfterVat: amount,
      },
      ...(limit === undefined ? {} : { effectiveSpendingLimit: limit.val }),
      defaultCredits: { val: "0" },
      billingCycle: { year: Math.floor(month / 100), month: month % 100 },
    };
    ctx.body = answer;
  };
}

export const getInvoicePreviewDocs: RouteDocs = {
  operation: "previewInvoice",
  tag: "Billing",
  summary: "Get a team's usage of this month by model",
  description:
    "Amounts are in cents, with fractions rounded up; `hearth usage --by model` reports exact amounts. Months are in UTC; a request " +
    "counts in the month in which it began.",
  params: { teamId: "Id of a team that the management key may manage." },
  answers: { 200: { description: "The invoice of the month so far.", schema: previewSchema } },
};

function presentLine(description: string, { usage, costTicks }: UsageSums) {
  const tokens = usage.promptTokens + usage.completionTokens + usage.reasoningTokens;
  return { description, unitType: "tokens", numUnits: String(tokens), amount: centsUp(costTicks) } as const;
}
