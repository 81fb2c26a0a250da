/** The options of the command line. */
import { parseArgs } from "node:util";
import { readNames, readWhole } from "../world/options.js";
import { faultNames, type FaultName } from "./fault-names.js";

export interface ChaosOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly servers: number;
  /** Those that a round picks from; in turns where `inTurns` is set. */
  readonly faults: readonly FaultName[];
  readonly inTurns: boolean;
  /** Whether each server is in a network namespace of its own. */
  readonly namespaces: boolean;
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
      namespaces: { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
    },
    allowPositionals: false,
  });
  const names = readNames("--faults", values.faults, faultNames(true));
  const known = faultNames(values.namespaces);
  const absent = names.find((name) => !known.includes(name));
  if (absent !== undefined) throw new Error(`--faults: ${absent} needs --namespaces`);
  return {
    rounds: readWhole("--rounds", values.rounds, 10_000),
    seed: readWhole("--seed", values.seed, 2 ** 31),
    servers: readWhole("--servers", values.servers, 9),
    faults: names.length === 0 ? known : names,
    inTurns: names.length > 0,
    namespaces: values.namespaces,
    isVerbose: values.verbose,
  };
}
