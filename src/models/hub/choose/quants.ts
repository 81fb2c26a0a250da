/** Names of quantizations in the names of GGUF files: `Q4_K_M`, `UD-Q4_K_XL`, `IQ4_XS`, `MXFP4`, `BF16` and others. */
import { readModelStem } from "../../parts.js";

const quantName =
  /(?:^|[-._])((?:UD-)?(?:I?Q[1-8](?:_[A-Z0-9]+){0,3}|TQ[12]_0|MXFP4(?:_MOE)?|NVFP4|BF16|FP?16|FP?32))$/i;
/** Bits for a weight of the quantization that is chosen where none is named, Q4_K_M. */
const bitsWanted = 4.8;
/** Models of fewer bits answer noticeably worse. */
const bitsGood = 3.5;
const penaltyOfBad = 2;

/** Bits that the ending of a name adds to its digit, about. */
const endings: Readonly<Record<string, number>> = {
  K_XL: 0.9,
  K_L: 0.85,
  K_M: 0.8,
  K_S: 0.5,
  K: 0.6,
  XXS: 0.1,
  XS: 0.3,
  S: 0.4,
  M: 0.6,
  NL: 0.5,
  "0": 0.5,
  "1": 1,
};

/**
 * Returns the quantization of a file in capitals; null if neither its name nor its folder has one.
 * @param path a path of the repository, such as `Q8_0/model-00001-of-00002.gguf`.
 */
export function findQuant(path: string): string | null {
  const parts = path.split("/");
  const candidates = [readModelStem(parts.pop() ?? ""), parts.pop() ?? ""];
  for (const each of candidates) {
    const found = quantName.exec(each)?.[1];
    if (found !== undefined) return found.toUpperCase();
  }
  return null;
}

/** Sorts quantizations for a person who named none: Q4_K_M, then quantizations of about as many bits. */
export function bySuitability(a: string | null, b: string | null): number {
  return unsuitability(a) - unsuitability(b);
}

/** Returns the quantizations in the order of how close their names and sizes are to the one that was asked for. */
export function nearestQuants(asked: string, quants: readonly string[]): readonly string[] {
  const bits = countBits(asked.toUpperCase().replace(/^UD-/, ""));
  const distance = (quant: string): number => Math.abs(Math.log(countBits(quant.replace(/^UD-/, "")) / bits));
  return [...new Set(quants)].sort((a, b) => distance(a) - distance(b) || (a < b ? -1 : 1));
}

function unsuitability(quant: string | null): number {
  if (quant === null) return 100;
  if (quant === "Q4_K_M") return -1;
  const bits = countBits(quant.replace(/^UD-/, ""));
  const fewer = bits < bitsWanted ? 0.01 : 0;
  return Math.abs(bits - bitsWanted) + fewer + (bits < bitsGood ? penaltyOfBad : 0);
}

/** Returns about how many bits a weight takes; the wanted count for a name without a number. */
function countBits(quant: string): number {
  if (/16$/.test(quant)) return 16;
  if (/32$/.test(quant)) return 32;
  const digit = /\d/.exec(quant)?.[0];
  if (digit === undefined) return bitsWanted;
  const ending = /_(K_[A-Z]+|[A-Z0-9]+)$/.exec(quant)?.[1] ?? "";
  return Number(digit) + (endings[ending] ?? 0.25);
}
