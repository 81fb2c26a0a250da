/** Divides the cost of a month into the lines of an invoice. */
import type { Prices, Ticks } from "../../core/money.js";

/** A team's usage of one model at one price list in a month. */
export interface ModelMonth {
  readonly model: string;
  /** null for runs older than the price book. */
  readonly prices: Prices | null;
  /** Prompt tokens that were not cached. */
  readonly evaluatedTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly images: number;
  /** What was charged; sums exceed safe integers. */
  readonly costTicks: bigint;
  /** The part of the cost that was taken from credit. */
  readonly creditTicks: bigint;
}

export type InvoiceUnit =
  "promptToken" | "cachedPromptToken" | "completionToken" | "reasoningToken" | "image";

export interface InvoiceLine {
  readonly model: string;
  readonly unit: InvoiceUnit;
  readonly units: number;
  readonly unitTicks: Ticks;
  readonly ticks: bigint;
}

/**
 * Returns a line for each model, price list and unit with any usage, highest amount first. The amounts sum to the cost exactly: what
 * a run cost more than its reservation was not charged, and is subtracted from the largest amounts.
 */
export function invoiceLines(months: readonly ModelMonth[]): readonly InvoiceLine[] {
  return months.flatMap(listLines).sort(byAmount);
}

function listLines(month: ModelMonth): readonly InvoiceLine[] {
  const { model, prices, costTicks } = month;
  const prompt = prices?.promptTextTokenTicks ?? 0;
  const cached = prices?.cachedPromptTextTokenTicks ?? 0;
  const completion = prices?.completionTextTokenTicks ?? 0;
  const units: readonly (readonly [unit: InvoiceUnit, units: number, unitTicks: Ticks])[] = [
    ["promptToken", month.evaluatedTokens, prompt],
    ["cachedPromptToken", month.cachedTokens, cached],
    ["completionToken", month.completionTokens, completion],
    ["reasoningToken", month.reasoningTokens, completion],
    ["image", month.images, prices?.imageTicks ?? 0],
  ];
  const used = units.filter(([, count], at) => count > 0 || (at === 0 && noUnits(units) && costTicks > 0n));
  const lines = used
    .map(([unit, count, unitTicks]) => {
      return { model, unit, units: count, unitTicks, ticks: BigInt(count) * BigInt(unitTicks) };
    })
    .sort(byAmount);
  let difference = costTicks - lines.reduce((sum, { ticks }) => sum + ticks, 0n);
  return lines.map((line) => {
    const ticks = line.ticks + difference < 0n ? 0n : line.ticks + difference;
    difference -= ticks - line.ticks;
    return { ...line, ticks };
  });
}

function noUnits(units: readonly (readonly [InvoiceUnit, number, Ticks])[]): boolean {
  return units.every(([, count]) => count === 0);
}

function byAmount(a: InvoiceLine, b: InvoiceLine): number {
  return a.ticks === b.ticks ? 0 : a.ticks > b.ticks ? -1 : 1;
}
