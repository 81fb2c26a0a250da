/** The part of the composition root that says whether the server can take requests. */
import type { Engine } from "../core/engine.js";
import type { RedisState } from "../core/metrics.js";
import type { Model, ModelRegistry } from "../core/model.js";
import type { RemoteEngine } from "../engine/remote/engine.js";
import type { AppContext } from "../http/server/app-context.js";
import type { DatabaseHealth } from "../store/health.js";

interface Ready {
  readonly models: ModelRegistry;
  readonly engines: { readonly engine: Engine; readonly remote: RemoteEngine };
  readonly limits: { readonly redis: (() => RedisState) | null };
}

/** Returns what `/readyz` asks. */
export function readiness(
  health: DatabaseHealth,
  { models, engines, limits }: Ready,
): Pick<AppContext, "ready" | "remoteProblems"> {
  const findProblem = (model: Model): string | null => {
    const problem = model.remote === undefined ? null : engines.remote.findProblem(model);
    return problem === null ? null : `the model '${model.manifest.id}' does not answer: ${problem}`;
  };
  return {
    async ready() {
      const problems = [await health.problem(), engines.engine.problem(), limitsProblem(limits, "closed")];
      const reasons = problems.filter((problem) => problem !== null);
      const usable = models.list().filter((model) => model.unusable === null);
      if (usable.length === 0) reasons.push("no usable model");
      const unanswered = usable.map(findProblem).filter((problem) => problem !== null);
      if (usable.length > 0 && unanswered.length === usable.length) reasons.push(...unanswered);
      return reasons;
    },
    remoteProblems: () => [
      ...models.list().flatMap((model) => findProblem(model) ?? []),
      ...[limitsProblem(limits, "open")].filter((problem) => problem !== null),
    ],
  };
}

/** Returns a public sentence while Redis cannot be used and this is how the server counts then; the log has the reason. */
function limitsProblem({ redis }: Ready["limits"], withoutRedis: RedisState["withoutRedis"]): string | null {
  const state = redis?.();
  if (state === undefined || state.problem === null || state.withoutRedis !== withoutRedis) return null;
  return withoutRedis === "open"
    ? "Redis cannot be used: this server counts rate limits by itself"
    : "Redis cannot be used: requests that a rate limit applies to are refused";
}
