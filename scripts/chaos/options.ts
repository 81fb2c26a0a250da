/** The options of the command line. */
import { parseArgs } from "node:util";
import { faultNames, type FaultName } from "./fault-names.js";

export interface ChaosOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly servers: number;
  /** Those that a round picks from; in turns where `inTurns` is set. */
  readonly faults: readonly FaultName[];
  readonly inTurns: boolean;
  /** Prints what servers log. */
  readonly isVerbose: boolean;
}

/** @throws Error with one sentence. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "20" },
      seed: { type: "string", default: "1" },
      servers: { type: "string", default: "3" },
      faults: { type: "string", default: "" },
      verbose: { type: "boolean", default: false },
    },
    allowPositionals: false,
  });
  const names = values.faults.split(",").filter((name) => name !== "");
  for (const name of names)
    if (!isFault(name)) throw new Error(`--faults: ${name} is none of ${faultNames.join(", ")}`);
  return {
    rounds: whole("--rounds", values.rounds, 10_000),
    seed: whole("--seed", values.seed, 2 ** 31),
    servers: whole("--servers", values.servers, 9),
    faults: names.length === 0 ? faultNames : names.filter(isFault),
    inTurns: names.length > 0,
    isVerbose: values.verbose,
  };
}

function isFault(name: string): name is FaultName {
  return (faultNames as readonly string[]).includes(name);
}

function whole(option: string, text: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`${option} must be a whole number from 1 to ${most}`);
  return value;
}
