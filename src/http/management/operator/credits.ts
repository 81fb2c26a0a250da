/** The credit and the spending limits of teams with all digits, as commands of the operator show and change them. */
import { z } from "zod";
import type { TeamCredits } from "../../../accounts/money/credits.js";
import { toActor } from "../../../accounts/visibility.js";
import { ticksToUsd, type Ticks } from "../../../core/money.js";
import { parseFields } from "../../../dialects/management/fields.js";
import type { OperatorRoute } from "../../server/route.js";

const changeSchema = z.object({
  kind: z.enum(["purchase", "refund", "adjust"]),
  usd: z.string(),
  note: z.string().nullish(),
});

export const changeCredits: OperatorRoute = {
  method: "POST",
  path: "/operator/teams/:teamId/credits",
  async handle({ ctx, manager, body, params }, { accounts }) {
    const { kind, usd, note = null } = parseFields(changeSchema, body);
    const amount = { usd, note };
    ctx.body = present(await accounts.credits.change(kind, params["teamId"] ?? "", amount, toActor(manager)));
  },
};

const querySchema = z.object({ teamId: z.string().nullish() });

/** Lists the credits of all teams, or of one. */
export const listCredits: OperatorRoute = {
  method: "GET",
  path: "/operator/credits",
  async handle({ ctx, manager }, { accounts }) {
    const { teamId } = parseFields(querySchema, ctx.query);
    const actor = toActor(manager);
    const teams =
      teamId == null ? await accounts.teams.list(actor) : [await accounts.teams.find(teamId, actor)];
    ctx.body = { credits: (await accounts.credits.of(teams)).map(present) };
  },
};

/** A limit that is null is removed, one that is absent stays. */
const limitsSchema = z.object({
  hard: z.string().nullable().optional(),
  soft: z.string().nullable().optional(),
});

export const changeSpendingLimits: OperatorRoute = {
  method: "PUT",
  path: "/operator/teams/:teamId/spending-limits",
  async handle({ ctx, manager, body, params }, { accounts }) {
    const change = parseFields(limitsSchema, body);
    await accounts.spending.change(params["teamId"] ?? "", change, toActor(manager));
    ctx.body = {};
  },
};

export type OperatorCredits = ReturnType<typeof present>;

/** Money is decimal text: a float would round it. */
function present({ team, balances, month }: TeamCredits) {
  const { credit, reserved, revenue, purchases, adjustments } = balances;
  return {
    teamId: team.id,
    name: team.name,
    billing: team.billing,
    creditUsd: ticksToUsd(credit),
    reservedUsd: ticksToUsd(reserved),
    usedUsd: ticksToUsd(revenue),
    boughtUsd: ticksToUsd(-purchases),
    adjustedUsd: ticksToUsd(-adjustments),
    monthUsd: ticksToUsd(month.chargedTicks),
    monthReservedUsd: ticksToUsd(month.reservedTicks),
    hardLimitUsd: limitUsd(month.limits.hardTicks),
    softLimitUsd: limitUsd(month.limits.softTicks),
  };
}

function limitUsd(ticks: Ticks | null): string | null {
  return ticks === null ? null : ticksToUsd(BigInt(ticks));
}
