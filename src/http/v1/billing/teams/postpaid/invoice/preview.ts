/** GET /v1/billing/teams/{teamId}/postpaid/invoice/preview: what a team has used this month, as an invoice would say it. */
import { z } from "zod";
import { actorOf } from "../../../../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../../../../accounts/management-keys/permissions.js";
import { effectiveLimit, monthOf, monthStart } from "../../../../../../accounts/money/spending.js";
import { dayMs, type UsageSums } from "../../../../../../accounts/usage/usage-report.js";
import { shape, shapes } from "../../../../../../dialects/shape.js";
import type { HttpDeps } from "../../../../../deps.js";
import { cents, centsText, centsUp, limitCents } from "../../../../../management/cents.js";
import type { ManagementCall } from "../../../../../route.js";
import type { RouteDocs } from "../../../../../route-docs.js";

const linesMax = 10_000;

const previewSchema = shape({
  coreInvoice: shape({
    lines: shapes(
      shape({
        description: z.string().describe("Id of a model."),
        unitType: z.literal("tokens"),
        numUnits: z.string().describe("Tokens of prompts, answers and reasoning: a whole number, as a text."),
        amount: centsText,
      }).meta({ id: "InvoiceLine" }),
    ).describe("The most costly first; each is rounded up, and so is the sum of the exact amounts."),
    amountBeforeVat: centsText,
    vatCost: z.literal("0"),
    amountAfterVat: centsText,
  }),
  effectiveSpendingLimit: centsText.optional().describe("Not there where there is none."),
  defaultCredits: cents,
  billingCycle: shape({
    year: z.number().meta({ type: "integer" }),
    month: z.number().meta({ type: "integer" }),
  }),
}).meta({ id: "InvoicePreview" });

/** Tells the month so far. */
export function previewInvoice({
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
      { ...{ teamId, from, to, unit: null, by: ["model"], order: "cost" }, hosted: null, rowsMax: linesMax },
      actor,
    );
    const { limits } = await accounts.spending.find(teamId, actor);
    const limit = limitCents(effectiveLimit(limits));
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

export const invoicePreviewDocs: RouteDocs = {
  operation: "previewInvoice",
  tag: "Billing",
  summary: "Tell what a team has used this month, by model",
  description:
    "Amounts are cents; a fraction of a cent is rounded up, and `hearth usage --by model` has it exactly. A month is one of UTC; " +
    "a request belongs to the one in which it began.",
  params: { teamId: "Id of a team that the management key is for." },
  answers: { 200: { description: "The month so far.", schema: previewSchema } },
};

function presentLine(description: string, { usage, costTicks }: UsageSums) {
  const tokens = usage.promptTokens + usage.completionTokens + usage.reasoningTokens;
  return { description, unitType: "tokens", numUnits: String(tokens), amount: centsUp(costTicks) } as const;
}
