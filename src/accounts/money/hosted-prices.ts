/**
 * What hosted services charge by the names that clients ask for, so that use can be told at their prices. It owns which prices
 * can be set and which of them holds for what was asked for; nobody is charged by them.
 */
import type { Actor, AuditedFields } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import type { HostedPrice, HostedPriceStore } from "./hosted-price.js";
import { ticksToPerMillion } from "../../core/money.js";
import { hourMs, type AskedModel, type HostedRule } from "../usage/usage-report.js";
import { carryOut, type ActsDeps } from "../audit/audited-change.js";
import { usdPerMillion } from "./amounts.js";
import { invalid } from "../field-rules.js";

/** USD for a million tokens, such as `0.25`. */
export interface PriceWish {
  readonly alias: string;
  readonly prompt: string;
  /** As `prompt` when left out. */
  readonly cached?: string;
  readonly completion: string;
}

/** A model of this server, and what else it is called. */
export interface ModelNames {
  readonly id: string;
  readonly aliases: readonly string[];
}

export interface HostedPriceService {
  /** They hold from this hour on, and for all time before where they are the first. @throws HearthError `invalid_value` naming the field, `conflict` when there are too many. */
  set(wish: PriceWish, actor: Actor): Promise<HostedPrice>;
  /** Those that hold now, by alias. */
  list(): Promise<readonly HostedPrice[]>;
  /** Takes the prices of an alias away, those of before as well. @throws HearthError `not_found`. */
  remove(alias: string, actor: Actor): Promise<void>;
}

export interface HostedPriceDeps extends ActsDeps {
  readonly hostedPrices: HostedPriceStore;
}

const aliasCharactersMax = 200;
/** All aliases' versions. */
const versionsMax = 10_000;

/** Builds the service over its ports. */
export function createHostedPriceService(deps: HostedPriceDeps): HostedPriceService {
  return {
    set: (wish, actor) => set(deps, wish, actor),
    list: () => newest(deps),
    remove: (alias, actor) => remove(deps, alias, actor),
  };
}

/**
 * The rules by which what was asked for is priced: at the name that was asked, else at the model's id, else at the first of its
 * aliases that has a price. A version holds from the hour in which it was set to the next; the first one also before.
 */
export function hostedRules(
  asked: readonly AskedModel[],
  prices: readonly HostedPrice[],
  models: readonly ModelNames[],
): readonly HostedRule[] {
  const versions = new Map<string, HostedPrice[]>();
  for (const price of prices) versions.set(price.alias, [...(versions.get(price.alias) ?? []), price]);
  return asked.flatMap(({ model, askedModel }) => {
    const aliases = models.find(({ id }) => id === model)?.aliases ?? [];
    const alias = [askedModel, model, ...aliases].find((name) => versions.has(name));
    const found = alias === undefined ? [] : (versions.get(alias) ?? []);
    return found.map(({ promptTicks, cachedTicks, completionTicks }, at) => ({
      ...{ model, askedModel, promptTicks, cachedTicks, completionTicks },
      from: at === 0 ? 0 : hourOf(found[at]),
      to: hourOf(found[at + 1]),
    }));
  });
}

/** Where there is no such version, never. */
function hourOf(price: HostedPrice | undefined): number {
  return price === undefined ? Number.MAX_SAFE_INTEGER : price.createTime - (price.createTime % hourMs);
}

async function set(deps: HostedPriceDeps, wish: PriceWish, actor: Actor): Promise<HostedPrice> {
  const { alias, prompt, cached = prompt, completion } = wish;
  if (!/^[\x21-\x7e]+$/.test(alias) || alias.length > aliasCharactersMax)
    throw invalid(
      "alias",
      `must be the name of a model: at most ${aliasCharactersMax} characters, no spaces`,
    );
  const after: HostedPrice = {
    alias,
    promptTicks: usdPerMillion("prompt", prompt),
    cachedTicks: usdPerMillion("cached", cached),
    completionTicks: usdPerMillion("completion", completion),
    createTime: deps.clock.now(),
  };
  if ((await deps.hostedPrices.count()) >= versionsMax)
    throw new HearthError("conflict", `There are ${versionsMax} hosted prices already; remove some first.`);
  const before = (await newest(deps)).find((price) => price.alias === alias);
  await carryOut(deps, actor, {
    ...{ act: "SetHostedPrice", objectId: alias, teamId: null },
    description: `Set the hosted prices of '${alias}'`,
    before: before === undefined ? null : audited(before),
    after: audited(after),
    change: deps.hostedPrices.insertion(after),
  });
  return after;
}

async function newest({ hostedPrices }: HostedPriceDeps): Promise<readonly HostedPrice[]> {
  const all = await hostedPrices.list();
  return [...new Map(all.map((price) => [price.alias, price])).values()];
}

async function remove(deps: HostedPriceDeps, alias: string, actor: Actor): Promise<void> {
  const before = (await newest(deps)).find((price) => price.alias === alias);
  if (before === undefined)
    throw new HearthError("not_found", `'${alias.slice(0, aliasCharactersMax)}' has no hosted prices.`, {
      param: "alias",
    });
  await carryOut(deps, actor, {
    ...{ act: "DeleteHostedPrice", objectId: alias, teamId: null },
    description: `Removed the hosted prices of '${alias}'`,
    before: audited(before),
    after: null,
    change: deps.hostedPrices.removal(alias),
  });
}

/** In USD for a million tokens. */
function audited({ promptTicks, cachedTicks, completionTicks }: HostedPrice): AuditedFields {
  return {
    promptUsd: ticksToPerMillion(promptTicks),
    cachedUsd: ticksToPerMillion(cachedTicks),
    completionUsd: ticksToPerMillion(completionTicks),
  };
}
