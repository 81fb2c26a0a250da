import type { EmbeddingEngine } from "../../core/embeddings/engine.js";
import type { Engine } from "../../core/engine.js";
import type { Model } from "../../core/model.js";

/** Returns the engine of all text models: those that are placed on a remote engine, and those that run in this process. */
export function byPlacement(local: Engine, remote: Engine): Engine {
  const findEngine = (model: Model): Engine => (model.remote === undefined ? local : remote);
  return {
    load: (model, signal) => findEngine(model).load(model, signal),
    prompt: (model, source) => findEngine(model).prompt(model, source),
    tokenize: (model, text) => findEngine(model).tokenize(model, text),
    generate: (model, job, signal) => findEngine(model).generate(model, job, signal),
    residents: () => [...local.residents(), ...remote.residents()],
    problem: () => local.problem(),
    async close() {
      await remote.close();
      await local.close();
    },
  };
}

/** Returns the engine of all embedding models, as `byPlacement` does. */
export function embeddingsByPlacement(local: EmbeddingEngine, remote: EmbeddingEngine): EmbeddingEngine {
  const findEngine = (model: Model): EmbeddingEngine => (model.remote === undefined ? local : remote);
  return {
    load: (model, signal) => findEngine(model).load(model, signal),
    tokenizeInputs: (model, source, signal) => findEngine(model).tokenizeInputs(model, source, signal),
    embed: (model, inputs, signal) => findEngine(model).embed(model, inputs, signal),
    residents: () => [...local.residents(), ...remote.residents()],
  };
}
