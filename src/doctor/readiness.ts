/** Whether a server can take requests. */
import type { Engine } from "../core/engine.js";
import type { RedisState } from "../core/metrics.js";
import type { Model, ModelRegistry } from "../core/model.js";
import type { DatabaseHealth } from "../store/health.js";

interface Watched {
  readonly models: ModelRegistry;
  readonly health: DatabaseHealth;
  readonly engines: {
    readonly engine: Engine;
    readonly remote: { findProblem(model: Model): string | null };
  };
  /** How Redis counts rate limits; null where it does not. */
  readonly redis: (() => RedisState) | null;
}

/** Returns what `/readyz` asks. */
export function createReadiness({ models, health, engines, redis }: Watched) {
  const findProblem = (model: Model): string | null => {
    const problem = model.remote === undefined ? null : engines.remote.findProblem(model);
    return problem === null ? null : `the model '${model.manifest.id}' does not answer: ${problem}`;
  };
  return {
    async ready(): Promise<readonly string[]> {
      const found = [await health.problem(), engines.engine.problem(), redisProblem(redis, "closed")];
      const reasons = found.filter((problem) => problem !== null);
      const usable = models.list().filter((model) => model.unusable === null);
      if (usable.length === 0) reasons.push("no usable model");
      const unanswered = usable.map(findProblem).filter((problem) => problem !== null);
      if (usable.length > 0 && unanswered.length === usable.length) reasons.push(...unanswered);
      return reasons;
    },
    remoteProblems: (): readonly string[] => [
      ...models.list().flatMap((model) => findProblem(model) ?? []),
      ...[redisProblem(redis, "open")].filter((problem) => problem !== null),
    ],
  };
}

/** Returns a public sentence while Redis cannot be used and this is how the server counts then; the log has the reason. */
function redisProblem(redis: Watched["redis"], withoutRedis: RedisState["withoutRedis"]): string | null {
  const state = redis?.();
  if (state === undefined || state.problem === null || state.withoutRedis !== withoutRedis) return null;
  return withoutRedis === "open"
    ? "Redis cannot be used: this server counts rate limits by itself"
    : "Redis cannot be used: requests that a rate limit applies to are refused";
}
