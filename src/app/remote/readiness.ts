/** The part of the composition root that says whether the server can take requests. */
import type { Engine } from "../../core/engine.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import type { RemoteEngine } from "../../engine/remote/engine.js";
import type { HttpDeps } from "../../http/deps.js";
import type { DatabaseHealth } from "../../store/health.js";

interface Ready {
  readonly models: ModelRegistry;
  readonly engines: { readonly engine: Engine; readonly remote: RemoteEngine };
}

/** Returns what `/readyz` asks. */
export function readiness(
  health: DatabaseHealth,
  { models, engines }: Ready,
): Pick<HttpDeps, "ready" | "remoteProblems"> {
  const problemOf = (model: Model): string | null => {
    const problem = model.remote === undefined ? null : engines.remote.problemOf(model);
    return problem === null ? null : `the model '${model.manifest.id}' does not answer: ${problem}`;
  };
  return {
    async ready() {
      const problems = [await health.problem(), engines.engine.problem()];
      const reasons = problems.filter((problem) => problem !== null);
      const usable = models.list().filter((model) => model.unusable === null);
      if (usable.length === 0) reasons.push("no usable model");
      const unanswered = usable.map(problemOf).filter((problem) => problem !== null);
      if (usable.length > 0 && unanswered.length === usable.length) reasons.push(...unanswered);
      return reasons;
    },
    remoteProblems: () => models.list().flatMap((model) => problemOf(model) ?? []),
  };
}
