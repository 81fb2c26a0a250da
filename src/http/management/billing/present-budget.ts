/** Budgets in answers and requests of the management API. */
import { z } from "zod";
import { responseObject } from "../../../dialects/response-fields.js";
import { wholeNumber } from "../../../dialects/management/fields.js";
import { timeSchema } from "../../../dialects/management/answers.js";

const usd = (what: string) => z.string().describe(`${what} In USD, exact, such as \`12.50\`.`);
const tokens = (what: string) => z.string().describe(`${what} A whole number, as a string.`);

export const periodSchema = z
  .enum(["day", "week", "month", "total"])
  .describe("UTC; a week starts on Monday, `total` never resets.");

export const budgetSchema = responseObject({
  apiKeyId: z.string().optional().describe("The API key whose budget it is."),
  memberId: z.string().optional().describe("The member whose budget it is, for all keys that they created."),
  tag: z
    .string()
    .optional()
    .describe("The tag whose budget it is, for all requests of the team that have it."),
  endUser: z
    .string()
    .optional()
    .describe("The end user whose budget it is, for all requests of the team that name them."),
  teamId: z.string().describe("The team; without one of the fields above it is the team's budget."),
  period: periodSchema,
  hardUsd: usd("Refuses requests beyond it.").optional(),
  softUsd: usd("Warns when it is spent.").optional(),
  hardTokens: tokens("Refuses requests beyond it.").optional(),
  softTokens: tokens("Warns when it is used.").optional(),
  createTime: timeSchema,
  startTime: timeSchema.describe("Start of the current period."),
  resetTime: timeSchema.optional().describe("Start of the next period; absent if there is none."),
  spentUsd: usd("Cost of the runs of the period that have ended."),
  spentTokens: tokens("Prompt, completion and reasoning tokens of these runs."),
  reservedUsd: usd("The most that active runs can cost."),
  reservedTokens: tokens("The most that active runs can use."),
}).meta({ id: "Budget", description: "A budget in its current period; an absent limit means none." });

export type WireBudget = z.infer<typeof budgetSchema>;

const amountField = z.string().max(50, "must have at most 50 characters");

export const budgetChangeSchema = z.object({
  hardUsd: amountField.nullish().describe("Refuses requests beyond it: an amount in USD, such as `12.50`."),
  softUsd: amountField.nullish().describe("Warns when it is spent."),
  hardTokens: wholeNumber("Refuses requests beyond it.").nullish(),
  softTokens: wholeNumber("Warns when it is used.").nullish(),
});
