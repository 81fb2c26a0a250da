import type { EmbeddingEngine } from "../../core/embeddings/engine.js";
import type { Engine } from "../../core/engine.js";
import type { Model } from "../../core/model.js";

/** Returns the engine of all text models: those that are placed on a remote engine, and those that run in this process. */
export function byPlacement(local: Engine, remote: Engine): Engine {
  const engineOf = (model: Model): Engine => (model.remote === undefined ? local : remote);
  return {
    load: (model, signal) => engineOf(model).load(model, signal),
    prompt: (model, source) => engineOf(model).prompt(model, source),
    tokenize: (model, text) => engineOf(model).tokenize(model, text),
    generate: (model, job, signal) => engineOf(model).generate(model, job, signal),
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
  const engineOf = (model: Model): EmbeddingEngine => (model.remote === undefined ? local : remote);
  return {
    load: (model, signal) => engineOf(model).load(model, signal),
    tokenizeInputs: (model, source, signal) => engineOf(model).tokenizeInputs(model, source, signal),
    embed: (model, inputs, signal) => engineOf(model).embed(model, inputs, signal),
    residents: () => [...local.residents(), ...remote.residents()],
  };
}
