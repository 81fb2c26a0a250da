import type { Clock } from "../../core/clock.js";
import type { ResidentModel } from "../../core/engine.js";
import type { Metrics } from "../../core/metrics.js";
import type { Model } from "../../core/model.js";

interface LoadsDeps<Loaded> {
  readonly engine: {
    load(model: Model): Promise<Loaded>;
    residents(): readonly ResidentModel[];
  };
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/**
 * The engine's `load`, with its time told: of all who ask while a model is not in memory, the first one's wait counts, room
 * made and weights verified included.
 */
export function timedLoads<Loaded>({
  engine,
  metrics,
  clock,
}: LoadsDeps<Loaded>): (model: Model) => Promise<Loaded> {
  const loading = new Set<string>();
  return (model) => {
    const { id } = model.manifest;
    const isFirst = !loading.has(id) && !engine.residents().some((resident) => resident.id === id);
    const loaded = engine.load(model);
    if (!isFirst) return loaded;
    const began = clock.monotonic();
    loading.add(id);
    const forget = (): void => void loading.delete(id);
    loaded.then(() => {
      forget();
      metrics.modelLoaded({ model: id, durationMs: clock.monotonic() - began });
    }, forget);
    return loaded;
  };
}
