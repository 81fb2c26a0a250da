/** Text generation: from an accepted request to a run whose events are read, and the work on prompts that comes without a run. */
import type { TextTokens } from "../../../core/engine.js";
import type { GenerationRequest } from "../../../core/generation.js";
import { completeRequest } from "../../../core/model.js";
import { hold } from "../../abortable.js";
import { createPromptCounter } from "../../prompt/count.js";
import { tooManyRuns } from "../../too-many-runs.js";
import { usableModel } from "../../usable-model.js";
import type { LiveRuns } from "../live-runs.js";
import type { RunContext } from "../run-context.js";
import { refuseWithoutCredit } from "../run-money.js";
import { timedLoads } from "../timed-loads.js";
import { drive } from "./drive.js";
import { TextRun, type TextServices } from "./text-run.js";

export type Generator = ReturnType<typeof createGenerator>;

/** Builds the generator. @param liveRuns runs of all kinds, which the generator's are added to */
export function createGenerator(liveRuns: LiveRuns, parts: Omit<TextServices, "load">) {
  const services: TextServices = { ...parts, load: timedLoads(parts) };
  const { models, engine, load } = services;
  const { runsActiveMax } = liveRuns;
  const counter = createPromptCounter({ ...services, runsActiveMax });
  let preloads = 0;
  return {
    /**
     * Counts the tokens of the prompt that a request would be answered from; nothing is generated, recorded or charged.
     * @throws HearthError as a run does before its first token.
     */
    async countPrompt(request: GenerationRequest, teamId: string, signal: AbortSignal): Promise<number> {
      const model = usableModel(models, request.model);
      return counter.count(model, completeRequest(request, model), teamId, signal);
    },
    /**
     * Returns the tokens of a text in a model's own vocabulary; nothing is recorded or charged.
     * @throws HearthError as a run does before its first token.
     */
    tokenize: async (model: string, text: string, signal: AbortSignal): Promise<TextTokens> =>
      counter.tokenize(usableModel(models, model), text, signal),
    /**
     * Loads a chat model, or keeps the one in memory; a keep-alive time of 0 unloads it as soon as no run uses it, and loads nothing.
     * @param keepAliveMs absent: as before
     * @returns whether it is to be in memory
     * @throws HearthError `overloaded`, or as a run does before its first token.
     */
    async preload(name: string, keepAliveMs: number | undefined, signal: AbortSignal): Promise<boolean> {
      const model = usableModel(models, name);
      const isWanted = keepAliveMs !== 0;
      const isThere = engine.residents().some(({ id }) => id === model.manifest.id);
      if (!isWanted && !isThere) return false;
      if (preloads >= runsActiveMax) throw tooManyRuns();
      preloads += 1;
      try {
        (await hold(load(model, signal), signal)).release(keepAliveMs);
      } finally {
        preloads -= 1;
      }
      return isWanted;
    },
    /**
     * Refuses a request as its run would before it loads its model, for work that comes between its admission and the run.
     * @param name the model's in the request
     * @throws HearthError `model_not_found`, `model_unavailable`, `overloaded`, `no_credits`, `budget_exceeded`.
     */
    async refuse(name: string, principal: RunContext["principal"]): Promise<void> {
      const model = usableModel(models, name);
      liveRuns.refuseWhenFull();
      await refuseWithoutCredit(services, model, principal);
    },
    /**
     * Starts a run. Its last event is emitted only when it is settled.
     * @throws HearthError `model_not_found`, `model_unavailable` or `overloaded` before anything is started.
     */
    start(request: GenerationRequest, context: RunContext): TextRun {
      const model = liveRuns.admit(context, () => usableModel(models, request.model));
      const run = new TextRun(services, model, completeRequest(request, model), context);
      liveRuns.start(run, () => drive(run));
      return run;
    },
  };
}
