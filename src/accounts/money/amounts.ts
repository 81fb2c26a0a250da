/** Amounts of money as people write them; each refusal is a HearthError `invalid_value` that names the field. */
import { perMillionToTicks, usdToTicks, type Ticks } from "../../core/money.js";
import { invalid } from "../field-rules.js";

/** USD such as `12.50`, in ticks. */
export function usdAmount(param: string, usd: string): Ticks {
  return read(param, () => usdToTicks(usd));
}

/** USD for a million tokens such as `0.25`, in ticks a token. */
export function usdPerMillion(param: string, usd: string): Ticks {
  return read(param, () => perMillionToTicks(usd));
}

function read(param: string, amount: () => Ticks): Ticks {
  try {
    return amount();
  } catch (thrown) {
    if (thrown instanceof RangeError) throw invalid(param, thrown.message);
    throw thrown;
  }
}
