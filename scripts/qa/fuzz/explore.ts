/** Coverage-guided exploration: what does something new is kept, and further inputs are made from what was kept. */
import { setImmediate } from "node:timers/promises";
import { Chance } from "../figures/chance.js";
import type { Edges } from "./edges.js";
import { mutate } from "./mutate/mutate.js";
import { Violation } from "../checks/violation.js";
import { toLabel, type FuzzTarget } from "./target.js";

export interface ExploreOptions {
  readonly seed: number;
  /** Inputs to begin with; they count, too. */
  readonly corpus: readonly Uint8Array[];
  /** Whether inputs that do something new are kept; false compares guided with blind fuzzing. */
  readonly isGuided: boolean;
  /** Called before each input, so that it is known if it ends the process. @returns whether to stop before it */
  onInput(input: Uint8Array): boolean;
}

export interface Failure {
  readonly message: string;
  readonly input: Uint8Array;
}

export interface Exploration {
  /** Inputs that were run. */
  readonly inputs: number;
  /** Blocks that they reached, and all blocks of the modules. */
  readonly reached: number;
  readonly blocks: number;
  /** The inputs that did something new. */
  readonly kept: readonly Uint8Array[];
  readonly failure: Failure | null;
}

/** Runs inputs until one fails or `onInput` says so. Equal options and counts of inputs give equal explorations. */
export async function explore(
  target: FuzzTarget,
  edges: Edges,
  options: ExploreOptions,
): Promise<Exploration> {
  const chance = new Chance(options.seed);
  const words = [...edges.words, ...(target.words ?? [])].sort();
  const seeds = [...options.corpus];
  const kept: Uint8Array[] = [];
  let inputs = 0;
  let failure: Failure | null = null;
  while (failure === null) {
    const input = seeds.shift() ?? mutate(target, kept, words, chance);
    const isSeed = inputs < options.corpus.length;
    if (options.onInput(input)) break;
    inputs += 1;
    // Targets that never wait would keep the process from noticing that its parent has gone.
    if (inputs % 256 === 0) await setImmediate();
    edges.clear();
    const { label, problem } = await runInput(target, input);
    const isNew = edges.collect(label);
    if (isSeed || (isNew && options.isGuided)) kept.push(input);
    const message = problem ?? (isSeed || isNew ? await inspectInput(target, input) : null);
    if (message !== null) failure = { message, input };
  }
  return { inputs, reached: edges.reached, blocks: edges.blocks, kept, failure };
}

/** Returns what is wrong with an input by all checks of a target; null when nothing is. */
export async function findProblemOfInput(target: FuzzTarget, input: Uint8Array): Promise<string | null> {
  const { problem } = await runInput(target, input);
  return problem ?? inspectInput(target, input);
}

/** Returns whether two messages are about the same fault. */
export function isSameProblem(one: string, other: string): boolean {
  const kind = (message: string): string => toLabel(message.split("\n")[0] ?? "").slice(0, 60);
  return kind(one) === kind(other);
}

async function runInput(
  target: FuzzTarget,
  input: Uint8Array,
): Promise<{ readonly label: string; readonly problem: string | null }> {
  const before = process.cpuUsage();
  try {
    const label = await target.run(input);
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    const isSlow = ms > target.msMax;
    return { label, problem: isSlow ? `it took ${ms.toFixed(0)} ms, more than ${target.msMax}` : null };
  } catch (thrown) {
    return { label: "", problem: describe(thrown) };
  }
}

async function inspectInput(target: FuzzTarget, input: Uint8Array): Promise<string | null> {
  try {
    await target.inspect?.(input);
    return null;
  } catch (thrown) {
    return describe(thrown);
  }
}

function describe(thrown: unknown): string {
  if (thrown instanceof Violation) return thrown.message;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : `it threw ${String(thrown)}`;
}
