/** GET /v1/billing/teams/{teamId}/postpaid/invoice/preview: a team's usage of the current month as an invoice. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import type { InvoiceLine, InvoiceUnit } from "../../../accounts/money/invoice-lines.js";
import { effectiveLimit } from "../../../accounts/money/spending.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { cents, centsDown, centsOfEach, centsText, centsUp } from "./cents.js";
import { clusterName } from "../../../dialects/management/answers.js";
import { managementRoute } from "../../server/route.js";

/** The units in the words of the hosted service. */
const unitTypes = {
  promptToken: "Prompt text tokens",
  cachedPromptToken: "Cached prompt text tokens",
  completionToken: "Completion text tokens",
  reasoningToken: "Reasoning text tokens",
  image: "Generated image",
} as const satisfies Readonly<Record<InvoiceUnit, string>>;

const wholeText = (description: string) =>
  z.string().describe(`${description}: a whole number, as a string.`);

const previewSchema = responseObject({
  coreInvoice: responseObject({
    lines: responseArray(
      responseObject({
        clusterName: z.string(),
        description: z.string().describe("Id of a model."),
        unitType: z.enum(Object.values(unitTypes)),
        unitPrice: wholeText("Price of one unit in 1/100,000,000 of a cent, which is one tick"),
        numUnits: wholeText("Number of units"),
        amount: centsText,
      }).meta({ id: "InvoiceLine" }),
    ).describe("Highest amount first; the amounts sum to `totalWithCorr`."),
    amountBeforeVat: centsText,
    vatCost: z.literal("0"),
    amountAfterVat: centsText,
    autoCreditsIssued: z.literal("0"),
    defaultCreditsIssued: z.literal("0"),
    totalWithCorr: cents.describe("Cost of the month, paid from credit or owed."),
    prepaidCredits: cents.describe("The credit before this invoice; negative while there is any."),
    prepaidCreditsUsed: cents.describe(
      "The credit used for this invoice; negative. `prepaidCredits` less this is the remaining credit.",
    ),
  }).meta({ id: "CoreInvoice" }),
  effectiveSpendingLimit: centsText.optional().describe("Absent if there is none."),
  defaultCredits: z.literal("0"),
  billingCycle: responseObject({
    year: z.number().meta({ type: "integer" }),
    month: z.number().meta({ type: "integer" }),
  }),
}).meta({ id: "InvoicePreview" });

export type WireInvoice = z.infer<typeof previewSchema>;

/** Returns the invoice of the current month so far. */
export const getInvoicePreview = managementRoute({
  method: "GET",
  path: "/v1/billing/teams/:teamId/postpaid/invoice/preview",
  acl: "BillingRead",
  docs: {
    operation: "previewInvoice",
    tag: "Billing",
    summary: "Get a team's usage of this month by model and unit",
    description:
      "Amounts are in cents. The total is rounded up, and the lines sum to it: each is less than one cent from its exact amount. " +
      "`hearth usage --by model` reports exact amounts. Months are in UTC; a request counts in the month in which it began.",
    params: { teamId: "Id of a team that the management key may manage." },
    answers: { 200: { description: "The invoice of the month so far.", schema: previewSchema } },
  },
  async handle({ ctx, manager, params }, { accounts }) {
    const invoice = await accounts.billing.invoice(params["teamId"] ?? "", toActor(manager));
    const { month, lines, totalTicks } = invoice;
    const limit = centsDown(effectiveLimit(invoice.limits));
    const amounts = centsOfEach(lines.map(({ ticks }) => ticks));
    const total = centsUp(totalTicks);
    const used = BigInt(centsUp(invoice.creditUsedTicks));
    const answer: WireInvoice = {
      coreInvoice: {
        lines: lines.map((line, at) => presentLine(line, amounts[at] ?? "0")),
        amountBeforeVat: total,
        vatCost: "0",
        amountAfterVat: total,
        autoCreditsIssued: "0",
        defaultCreditsIssued: "0",
        totalWithCorr: { val: total },
        prepaidCredits: { val: String(BigInt(centsUp(-invoice.creditTicks)) - used) },
        prepaidCreditsUsed: { val: String(-used) },
      },
      effectiveSpendingLimit: limit?.val,
      defaultCredits: "0",
      billingCycle: { year: Math.floor(month / 100), month: month % 100 },
    };
    ctx.body = answer;
  },
});

function presentLine({ model, unit, units, unitTicks }: InvoiceLine, amount: string) {
  return {
    clusterName,
    description: model,
    unitType: unitTypes[unit],
    unitPrice: String(unitTicks),
    numUnits: String(units),
    amount,
  };
}
