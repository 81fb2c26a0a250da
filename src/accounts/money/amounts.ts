/** Parses amounts of money from requests. Each function throws a HearthError `invalid_value` that names the field. */
import { usdPerMillionToTicks, usdToTicks, type Ticks } from "../../core/money.js";
import { invalid } from "../field-rules.js";

/** Parses an amount in USD, such as `12.50`, into ticks. */
export function usdAmount(param: string, usd: string): Ticks {
  return read(param, () => usdToTicks(usd));
}

/** Parses a price in USD per million tokens, such as `0.25`, into ticks per token. */
export function usdPerMillion(param: string, usd: string): Ticks {
  return read(param, () => usdPerMillionToTicks(usd));
}

function read(param: string, amount: () => Ticks): Ticks {
  try {
    return amount();
  } catch (thrown) {
    if (thrown instanceof RangeError) throw invalid(param, thrown.message);
    throw thrown;
  }
}
