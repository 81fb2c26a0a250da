import type { Clock } from "../../core/clock.js";
import type { ResidentModel } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { Metrics } from "../../core/metrics.js";
import type { Model } from "../../core/model.js";

interface LoadsDeps<Loaded> {
  readonly engine: {
    load(model: Model, signal: AbortSignal): Promise<Loaded>;
    residents(): readonly ResidentModel[];
  };
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/**
 * Returns the engine's `load`, whose duration or failure is reported to the metrics. When several runs wait for a model, the wait of the first
 * counts, including the eviction of other models and the verification of the weights.
 */
export function timedLoads<Loaded>({
  engine,
  metrics,
  clock,
}: LoadsDeps<Loaded>): (model: Model, signal: AbortSignal) => Promise<Loaded> {
  const loading = new Set<string>();
  return (model, signal) => {
    const { id } = model.manifest;
    const isFirst = !loading.has(id) && !engine.residents().some((resident) => resident.id === id);
    const loaded = engine.load(model, signal);
    if (!isFirst) return loaded;
    const startedAt = clock.monotonic();
    loading.add(id);
    const remove = (): void => void loading.delete(id);
    loaded.then(
      () => {
        remove();
        metrics.modelLoaded({ model: id, durationMs: clock.monotonic() - startedAt });
      },
      (thrown: unknown) => {
        remove();
        if (thrown instanceof HearthError && thrown.kind === "model_unavailable")
          metrics.modelNotLoaded({ model: id, reason: thrown.message });
      },
    );
    return loaded;
  };
}
