/** GET and PUT /auth/teams/{teamId}/budgets, an extension: lists and sets the budgets of a team, its members, keys, tags and end users. */
import { z } from "zod";
import { budgetPeriods } from "../../../accounts/money/budget-periods.js";
import { toActor } from "../../../accounts/visibility.js";
import {
  subjectFields,
  type BudgetPeriod,
  type BudgetSubject,
  type BudgetStatus,
} from "../../../accounts/budgets/budget.js";
import { responseArray, responseObject } from "../../../dialects/response-fields.js";
import { boundedArray } from "../../../dialects/request-fields.js";
import { invalidValue } from "../../../dialects/field-error.js";
import { budgetChangeSchema, budgetSchema, periodSchema, type WireBudget } from "./present-budget.js";
import { applyFieldMask, fieldMaskField } from "../../../dialects/management/field-mask.js";
import { parseFields, definedFields } from "../../../dialects/management/fields.js";
import { createPages } from "../../../dialects/management/pages.js";
import { accountRoute } from "../../server/route.js";
import { ticksToUsd } from "../../../core/money.js";
import { timestamp } from "../../../dialects/management/answers.js";
import type { BudgetChange } from "../../../accounts/budgets/budgets.js";

/** The values of fields that are not set. */
const unsetBudget: Required<BudgetChange> = {
  hardUsd: null,
  softUsd: null,
  hardTokens: null,
  softTokens: null,
};

/** Keys of which budgets are listed together. */
const keysMax = 200;

const pages = createPages(z.string());

const querySchema = z.object({
  ...pages.query,
  apiKeyId: z.string().nullish().describe("Only budgets of this key."),
  memberId: z.string().nullish().describe("Only budgets of this member."),
  tag: z.string().nullish().describe("Only budgets of this tag."),
  endUser: z.string().nullish().describe("Only budgets of this end user."),
  apiKeyIds: z
    .string()
    .transform((text): readonly unknown[] => text.split(","))
    .pipe(boundedArray(z.string(), keysMax))
    .nullish()
    .describe(`Only budgets of these keys, with commas between them: at most ${keysMax}.`),
});

const pageSchema = responseObject({
  budgets: responseArray(budgetSchema).describe("In order of creation."),
  ...pages.answer,
}).meta({ id: "BudgetPage" });

const requestSchema = z
  .object({
    apiKeyId: z.string().nullish().describe("Set the budget of this key."),
    memberId: z.string().nullish().describe("Set the budget of this member."),
    tag: z.string().nullish().describe("Set the budget of all requests of the team with this tag."),
    endUser: z
      .string()
      .nullish()
      .describe(
        "Set the budget of all requests of the team for this end user; without any of these, the team's.",
      ),
    period: periodSchema,
    budget: budgetChangeSchema.nullish(),
    fieldMask: fieldMaskField,
  })
  .meta({
    id: "UpdateBudgetRequest",
    description: "The limits to change; without a mask, the limits that are set.",
  });

const answerSchema = responseObject({ budget: budgetSchema.optional() }).meta({
  id: "UpdatedBudget",
  description: "The budget; absent if it has no limit left.",
});

interface NamedSubject {
  readonly apiKeyId?: string | null;
  readonly memberId?: string | null;
  readonly tag?: string | null;
  readonly endUser?: string | null;
}

function toSubject(named: NamedSubject) {
  const [first, second] = subjectFields.filter(([field]) => named[field] != null);
  if (first === undefined) return null;
  if (second !== undefined) throw invalidValue(second[0], `cannot be set with ${first[0]}`);
  const [field, subject] = first;
  return { subject, subjectId: named[field] ?? "" };
}

function listSubjects({ apiKeyIds, ...named }: z.infer<typeof querySchema>) {
  const subject = toSubject(named);
  if (apiKeyIds == null) return subject === null ? null : [subject];
  if (subject !== null) throw invalidValue("apiKeyIds", "cannot be set with apiKeyId or memberId");
  return apiKeyIds.map((subjectId) => ({ subject: "key", subjectId }) as const);
}

function parsePosition([createTime, name]: readonly [number, string]) {
  const [period = "", subject = "", ...rest] = name.split(" ");
  if (!isPeriod(period) || !isSubject(subject))
    throw invalidValue("paginationToken", "is not a token of this list");
  return { createTime, period, subject, subjectId: rest.join(" ") };
}

function isPeriod(text: string): text is BudgetPeriod {
  return budgetPeriods.some((period) => period === text);
}

function isSubject(text: string): text is BudgetSubject {
  return text === "team" || subjectFields.some(([, subject]) => subject === text);
}

const params = { teamId: "Id of a team that the management key may manage." };

/** Lists a page of budgets. */
export const listBudgets = accountRoute({
  method: "GET",
  path: "/auth/teams/:teamId/budgets",
  acl: "BillingRead",
  docs: {
    operation: "listBudgets",
    tag: "Accounts",
    summary: "List the budgets of a team, its members, keys, tags and end users",
    description: "An extension of Hearth. Each is shown in its current period.",
    params,
    query: querySchema,
    answers: { 200: { description: "One page of budgets.", schema: pageSchema } },
  },
  async handle({ ctx, manager, params }, { accounts }) {
    const query = parseFields(querySchema, ctx.query);
    const { limit, after } = pages.read(query);
    const found = await accounts.budgets.page(
      {
        teamId: params["teamId"] ?? "",
        of: listSubjects(query),
        after: after === null ? null : parsePosition(after),
        limit: limit + 1,
      },
      toActor(manager),
    );
    const { items, ...next } = pages.cut(found, limit, ({ createTime, period, subject, subjectId }) => [
      createTime,
      `${period} ${subject} ${subjectId}`,
    ]);
    const answer: z.infer<typeof pageSchema> = { budgets: items.map(presentBudget), ...next };
    ctx.body = answer;
  },
});

/** Sets the limits of a budget. */
export const updateBudget = accountRoute({
  method: "PUT",
  path: "/auth/teams/:teamId/budgets",
  acl: "BillingWrite",
  docs: {
    operation: "updateBudget",
    tag: "Accounts",
    summary: "Set a budget of a key, a member, a tag, an end user or a team",
    description:
      "An extension of Hearth. Takes effect with the next request. A new budget counts what its current period has used. A budget " +
      "without limits is deleted. A management key for one team cannot change the budget of the team.",
    params,
    body: requestSchema,
    example: { period: "month", budget: { softTokens: "80000", hardTokens: "100000" } },
    answers: { 200: { description: "The budget.", schema: answerSchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, body, params }, { accounts }) {
    const { budget, fieldMask, ...named } = parseFields(requestSchema, body);
    const change = applyFieldMask(toBudgetChange(budget ?? {}), unsetBudget, fieldMask);
    const teamId = params["teamId"] ?? "";
    const subject = toSubject(named) ?? { subject: "team", subjectId: teamId };
    const name = { teamId, ...subject, period: named.period };
    const status = await accounts.budgets.change(name, change, toActor(manager));
    const answer: z.infer<typeof answerSchema> = {
      budget: status === null ? undefined : presentBudget(status),
    };
    ctx.body = answer;
  },
});

/** Presents a budget. */
function presentBudget(budget: BudgetStatus): WireBudget {
  const { subject, subjectId, hardTicks, softTicks, hardTokens, softTokens, resetTime } = budget;
  return {
    apiKeyId: subject === "key" ? subjectId : undefined,
    memberId: subject === "member" ? subjectId : undefined,
    tag: subject === "tag" ? subjectId : undefined,
    endUser: subject === "user" ? subjectId : undefined,
    teamId: budget.teamId,
    period: budget.period,
    hardUsd: hardTicks === null ? undefined : ticksToUsd(BigInt(hardTicks)),
    softUsd: softTicks === null ? undefined : ticksToUsd(BigInt(softTicks)),
    hardTokens: hardTokens?.toString(),
    softTokens: softTokens?.toString(),
    createTime: timestamp(budget.createTime),
    startTime: timestamp(budget.startTime),
    resetTime: timestamp(resetTime),
    spentUsd: ticksToUsd(budget.spentTicks),
    spentTokens: String(budget.spentTokens),
    reservedUsd: ticksToUsd(budget.reservedTicks),
    reservedTokens: String(budget.reservedTokens),
  };
}

/** Converts the fields that are set to a change of a budget. */
function toBudgetChange(fields: z.infer<typeof budgetChangeSchema>): BudgetChange {
  return definedFields({
    hardUsd: fields.hardUsd,
    softUsd: fields.softUsd,
    hardTokens: fields.hardTokens == null ? null : Number(fields.hardTokens),
    softTokens: fields.softTokens == null ? null : Number(fields.softTokens),
  });
}
