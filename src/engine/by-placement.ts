import type { Engine } from "../core/engine.js";
import type { Model } from "../core/model.js";

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
