/** An embedding engine for tests: a token for each word, a vector of the numbers of letters, and a hook before each call. */
import type { EmbeddingEngine } from "../../../src/core/embeddings/engine.js";

export interface ScriptedEmbeddingEngine extends EmbeddingEngine {
  /** Models that runs hold. */
  readonly leases: number;
  /** Calls of `embed`. */
  readonly calls: number;
}

export interface ScriptedEmbeddingOptions {
  /** Called before the inputs of a call are evaluated. */
  readonly onCall?: (call: number, signal: AbortSignal) => Promise<void>;
}

/** Tokens of the longest input. */
const contextTokens = 10_000;

export function createScriptedEmbeddingEngine({
  onCall,
}: ScriptedEmbeddingOptions = {}): ScriptedEmbeddingEngine {
  let leases = 0;
  let calls = 0;
  return {
    get leases() {
      return leases;
    },
    get calls() {
      return calls;
    },
    load() {
      leases += 1;
      return Promise.resolve({ contextTokens, slots: 1, dimensions: 2, release: () => void (leases -= 1) });
    },
    tokenizeInputs: (_model, source) => {
      const inputs =
        source.type === "inputs" ? source.inputs : source.documents.map((text) => `${source.query} ${text}`);
      return Promise.resolve(
        inputs.map((input) =>
          typeof input === "string"
            ? Uint32Array.from(input.split(" "), ({ length }) => length)
            : Uint32Array.from(input),
        ),
      );
    },
    async embed(_model, inputs, signal) {
      calls += 1;
      await onCall?.(calls, signal);
      if (signal.aborted) throw signal.reason;
      return inputs.map((tokens) =>
        Float32Array.of(
          tokens.length,
          tokens.reduce((sum, each) => sum + each, 0),
        ),
      );
    },
    residents: () => [],
  };
}
