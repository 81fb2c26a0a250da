/** The parts of a batch line between its request and its run. */
import type { EstimatedPrompt } from "../../accounts/limits/prompt-estimate.js";
import type { Clock } from "../../core/clock.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import type { Random } from "../../core/random.js";
import type { StoredCompletions } from "../../inference/completions/stored-completions.js";
import type { Conversations } from "../../inference/conversations/conversations.js";
import type { PromptFiles } from "../../answers/files/prompt-files.js";
import type { StoredResponses } from "../../inference/responses/stored-responses.js";
import type { GenerationRequest } from "../../core/generation.js";
import type { RunEvent } from "../../core/run-event.js";
import type { Embedder } from "../../inference/embeddings/embed.js";
import type { Generator, Run } from "../../inference/run/generate.js";
import type { RunEnd } from "../../inference/run/recorder.js";
import type { RunContext } from "../../inference/run/run-deps.js";
import type { Write } from "../../store/writes.js";
import { toJobRun, type JobRun } from "../handler.js";
import type { ParseJson } from "./input.js";

export interface LineRunDeps {
  readonly generator: Pick<Generator, "start" | "countPrompt" | "tokenize">;
  readonly embedder: Pick<Embedder, "embed">;
}

/** The run of a line, not started. */
export interface LineRun {
  start(context: RunContext): JobRun;
  /** Takes every event of the run. */
  add(event: RunEvent): void;
  /** Returns what is written in addition to the line's result. */
  writes(end: RunEnd): readonly Write[];
  /** Returns the JSON text of the answer of a run that is complete. */
  answer(): string;
  /** Returns sentences about what was not applied of the request. */
  warnings(): readonly string[];
}

export interface LineRequestDeps extends LineRunDeps {
  readonly models: ModelRegistry;
  readonly promptFiles: PromptFiles;
  readonly storedResponses: StoredResponses;
  readonly storedCompletions: Pick<StoredCompletions, "refuseWhenFull" | "insertion">;
  readonly conversations: Conversations;
  readonly parseJson: ParseJson;
  readonly clock: Clock;
  readonly random: Pick<Random, "id">;
  /** What lines are charged, in percent of the model's prices. */
  readonly pricePercent: number;
}

/** A line that can be run. */
export interface LineRequest {
  /** The name of the model in the request. */
  readonly modelName: string;
  readonly model: Model;
  readonly prompt: EstimatedPrompt;
  /** null = the request names none. */
  readonly endUser: string | null;
  /** Prepares the run. */
  open(): LineRun;
}

/** Folds the events of a run into the answer of a route. */
export interface Fold {
  add(event: RunEvent): void;
  /** The answer, or its JSON text. */
  body(): object | string;
  /** What is written in addition. */
  writes?(end: RunEnd): readonly Write[];
}

/** Returns the run of a request that generates text. */
export function startText(
  { generator }: LineRunDeps,
  request: GenerationRequest,
  fold: Fold,
  pricePercent: number,
): LineRun {
  let run: Run | null = null;
  return {
    start(context) {
      run = generator.start(request, { ...context, pricePercent });
      return toJobRun(run);
    },
    add: (event) => fold.add(event),
    writes: (end) => fold.writes?.(end) ?? [],
    answer() {
      const body = fold.body();
      return typeof body === "string" ? body : JSON.stringify(body);
    },
    warnings: () => run?.warnings ?? [],
  };
}
