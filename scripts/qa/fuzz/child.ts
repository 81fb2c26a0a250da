/** The process that fuzzes one target: it is compiled with counters, runs what its parent asks for, and sends one result. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openNotes } from "./current-input.js";
import { Edges } from "./edges.js";
import { explore, isSameProblem, findProblemOfInput, type Exploration } from "./explore.js";
import { minimise } from "./minimise.js";
import type { FuzzTarget } from "./target.js";
import { readCorpus } from "./corpus.js";

/** What a child is asked to do. */
export interface ChildTask {
  /** The compiled module of the target. */
  readonly module: string;
  /** The folder of test/fuzz/corpus/. */
  readonly corpora: string;
  /** A folder of its own, which is there. */
  readonly folder: string;
  readonly seed: number;
  readonly isGuided: boolean;
  /** Stops after so many inputs, or so much time, what is first. */
  readonly inputs: number;
  readonly seconds: number;
  /** Runs only this input; null: explores. */
  readonly input: string | null;
}

export interface ChildResult {
  readonly guarantee: string;
  readonly inputs: number;
  readonly reached: number;
  readonly blocks: number;
  readonly kept: number;
  readonly seconds: number;
  /** Inputs are in Base64. */
  readonly failure: { readonly message: string; readonly input: string; readonly smallest: string } | null;
}

const triesMax = 2000;

process.once("message", (task: ChildTask) => {
  void perform(task).then((result) => process.send?.(result, () => process.disconnect()));
});

process.once("disconnect", () => process.exit());

async function perform(task: ChildTask): Promise<ChildResult> {
  const edges = new Edges();
  edges.install();
  const { target } = (await import(pathToFileURL(task.module).href)) as { readonly target: FuzzTarget };
  const notes = openNotes(join(task.folder, "current"));
  const began = performance.now();
  const found = await explore(target, edges, {
    seed: task.seed,
    corpus: await firstInputs(task, target),
    isGuided: task.isGuided,
    onInput: stopper(task, notes.note),
  });
  const seconds = (performance.now() - began) / 1000;
  const { inputs, reached, blocks, kept } = found;
  const failure = await smallestFailure(target, found, notes.note);
  notes.close();
  return { guarantee: target.guarantee, inputs, reached, blocks, kept: kept.length, seconds, failure };
}

async function firstInputs(task: ChildTask, target: FuzzTarget): Promise<readonly Uint8Array[]> {
  if (task.input !== null) return [Buffer.from(task.input, "base64")];
  const made = (await target.seeds?.()) ?? [];
  const first = [...readCorpus(join(task.corpora, target.corpus)), ...made];
  return first.length === 0 ? [Buffer.from("0")] : first;
}

function stopper(
  { inputs, seconds, input }: ChildTask,
  note: (input: Uint8Array) => void,
): (next: Uint8Array) => boolean {
  const end = performance.now() + seconds * 1000;
  const most = input === null ? inputs : 1;
  let count = 0;
  return (next) => {
    if (count >= most || performance.now() > end) return true;
    count += 1;
    note(next);
    return false;
  };
}

async function smallestFailure(
  target: FuzzTarget,
  { failure }: Exploration,
  note: (input: Uint8Array) => void,
): Promise<ChildResult["failure"]> {
  if (failure === null) return null;
  const fails = async (input: Uint8Array): Promise<boolean> => {
    note(input);
    const problem = await findProblemOfInput(target, input);
    return problem !== null && isSameProblem(problem, failure.message);
  };
  const smallest = await minimise(failure.input, fails, triesMax);
  const message = (await findProblemOfInput(target, smallest)) ?? failure.message;
  return { message, input: base64(failure.input), smallest: base64(smallest) };
}

function base64(input: Uint8Array): string {
  return Buffer.from(input).toString("base64");
}
