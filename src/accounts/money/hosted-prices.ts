/**
 * Manages the prices of hosted services, by model name, with which usage reports compare costs. Nobody is charged these
 * prices.
 */
import type { Actor, AuditedFields } from "../audit/event.js";
import { HearthError } from "../../core/errors.js";
import type { HostedPrice } from "./hosted-price.js";
import type { HostedPriceStore } from "./store/hosted-prices.js";
import { ticksToUsdPerMillion } from "../../core/money.js";
import { hourMs, type RequestedModel, type HostedRule } from "./usage-report.js";
import { commitAudited, type AuditDeps } from "../audit/audited-change.js";
import { usdPerMillion } from "./amounts.js";
import { invalid } from "../field-rules.js";

/** Prices are in USD per million tokens, such as `0.25`. */
export interface SetHostedPriceRequest {
  readonly alias: string;
  readonly prompt: string;
  /** The same as `prompt` when absent. */
  readonly cached?: string;
  readonly completion: string;
}

/** A model of this server and its aliases. */
export interface ComparedModel {
  readonly id: string;
  readonly aliases: readonly string[];
}

export type HostedPriceService = ReturnType<typeof createHostedPriceService>;

interface HostedPriceDeps extends AuditDeps {
  readonly hostedPrices: HostedPriceStore;
}

const aliasCharactersMax = 200;
/** Versions of all aliases together. */
const versionsMax = 10_000;

export function createHostedPriceService(deps: HostedPriceDeps) {
  return {
    /**
     * Sets the prices of an alias from the current hour on; the first prices of an alias also apply to all time before.
     * @throws HearthError `invalid_value` naming the field, `conflict` when there are too many versions.
     */
    set: (request: SetHostedPriceRequest, actor: Actor): Promise<HostedPrice> => set(deps, request, actor),
    /** Returns the current prices in order of alias. */
    list: (): Promise<readonly HostedPrice[]> => newest(deps),
    /** Removes all versions of an alias's prices. @throws HearthError `not_found`. */
    remove: (alias: string, actor: Actor): Promise<void> => remove(deps, alias, actor),
  };
}

/**
 * Returns the rules that price requested models: by the requested name, else by the model's id, else by the first of its
 * aliases that has a price. A version applies from the hour in which it was set until the next one; the first also before.
 */
export function hostedRules(
  requested: readonly RequestedModel[],
  prices: readonly HostedPrice[],
  models: readonly ComparedModel[],
): readonly HostedRule[] {
  const versions = new Map<string, HostedPrice[]>();
  for (const price of prices) versions.set(price.alias, [...(versions.get(price.alias) ?? []), price]);
  return requested.flatMap(({ model, requestedModel }) => {
    const aliases = models.find(({ id }) => id === model)?.aliases ?? [];
    const alias = [requestedModel, model, ...aliases].find((name) => versions.has(name));
    const found = alias === undefined ? [] : (versions.get(alias) ?? []);
    return found.map(({ promptTicks, cachedTicks, completionTicks }, at) => ({
      model,
      requestedModel,
      promptTicks,
      cachedTicks,
      completionTicks,
      from: at === 0 ? 0 : readHour(found[at]),
      to: readHour(found[at + 1]),
    }));
  });
}

/** Returns the start of the hour in which a version was set; the end of time when there is no such version. */
function readHour(price: HostedPrice | undefined): number {
  return price === undefined ? Number.MAX_SAFE_INTEGER : price.createTime - (price.createTime % hourMs);
}

async function set(
  deps: HostedPriceDeps,
  request: SetHostedPriceRequest,
  actor: Actor,
): Promise<HostedPrice> {
  const { alias, prompt, cached = prompt, completion } = request;
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
  await commitAudited(deps, actor, {
    action: "SetHostedPrice",
    objectId: alias,
    teamId: null,
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
  await commitAudited(deps, actor, {
    action: "DeleteHostedPrice",
    objectId: alias,
    teamId: null,
    description: `Removed the hosted prices of '${alias}'`,
    before: audited(before),
    after: null,
    change: deps.hostedPrices.removal(alias),
  });
}

/** Returns prices as the audit log shows them: in USD per million tokens. */
function audited({ promptTicks, cachedTicks, completionTicks }: HostedPrice): AuditedFields {
  return {
    promptUsd: ticksToUsdPerMillion(promptTicks),
    cachedUsd: ticksToUsdPerMillion(cachedTicks),
    completionUsd: ticksToUsdPerMillion(completionTicks),
  };
}
