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
  const names = values.faults.split(",").filter((name) => name !== "");
  const known = faultNames(values.namespaces);
  for (const name of names) {
    if (isOneOf(known, name)) continue;
    if (isOneOf(faultNames(true), name)) throw new Error(`--faults: ${name} needs --namespaces`);
    throw new Error(`--faults: ${name} is none of ${known.join(", ")}`);
  }
  return {
    rounds: whole("--rounds", values.rounds, 10_000),
    seed: whole("--seed", values.seed, 2 ** 31),
    servers: whole("--servers", values.servers, 9),
    faults: names.length === 0 ? known : names.filter((name) => isOneOf(known, name)),
    inTurns: names.length > 0,
    namespaces: values.namespaces,
    isVerbose: values.verbose,
  };
}

function isOneOf(names: readonly FaultName[], name: string): name is FaultName {
  return (names as readonly string[]).includes(name);
}

function whole(option: string, text: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`${option} must be a whole number from 1 to ${most}`);
  return value;
}
