/** Prices of hosted services, which commands of the operator set, list and remove for comparison. */
import { z } from "zod";
import type { HostedPrice } from "../../../accounts/money/hosted-price.js";
import { toActor } from "../../../accounts/visibility.js";
import { ticksToUsdPerMillion } from "../../../core/money.js";
import { timestamp } from "../../../dialects/management/answers.js";
import { parseFields } from "../../../dialects/management/fields.js";
import type { OperatorRoute } from "../../server/route.js";

/** In USD per million tokens. */
const requestSchema = z.object({
  alias: z.string(),
  prompt: z.string(),
  completion: z.string(),
  cached: z.string().nullish(),
});

export const setHostedPrice: OperatorRoute = {
  method: "PUT",
  path: "/operator/hosted-prices",
  async handle({ ctx, manager, body }, { accounts }) {
    const { cached, ...price } = parseFields(requestSchema, body);
    const request = { ...price, cached: cached ?? undefined };
    ctx.body = present(await accounts.hostedPrices.set(request, toActor(manager)));
  },
};

export const listHostedPrices: OperatorRoute = {
  method: "GET",
  path: "/operator/hosted-prices",
  async handle({ ctx }, { accounts }) {
    ctx.body = { prices: (await accounts.hostedPrices.list()).map(present) };
  },
};

const querySchema = z.object({ alias: z.string() });

/** Removes all prices of an alias, also earlier ones. */
export const deleteHostedPrice: OperatorRoute = {
  method: "DELETE",
  path: "/operator/hosted-prices",
  async handle({ ctx, manager }, { accounts }) {
    await accounts.hostedPrices.remove(parseFields(querySchema, ctx.query).alias, toActor(manager));
    ctx.body = {};
  },
};

export type OperatorHostedPrice = ReturnType<typeof present>;

function present({ alias, createTime, ...price }: HostedPrice) {
  return {
    alias,
    promptUsd: ticksToUsdPerMillion(price.promptTicks),
    cachedUsd: ticksToUsdPerMillion(price.cachedTicks),
    completionUsd: ticksToUsdPerMillion(price.completionTicks),
    createTime: timestamp(createTime),
  };
}
