/**
 * Queries and advances a grammar state. The library does both while it samples. Tokens that are sampled outside the library, and text
 * from before the grammar applied, go through its native binding, which is missing from its types.
 */
import { LlamaGrammarEvaluationState, type LlamaGrammar, type LlamaModel, type Token } from "node-llama-cpp";

interface Bindings {
  readonly AddonSampler: {
    canBeNextTokenForGrammarEvaluationState(state: unknown, token: Token): boolean;
    acceptGrammarEvaluationStateToken(state: unknown, token: Token): void;
  };
}

/** Creates the initial state of a grammar. */
export function startGrammar(model: LlamaModel, grammar: LlamaGrammar): LlamaGrammarEvaluationState {
  return new LlamaGrammarEvaluationState({ model, grammar });
}

/** Returns whether the grammar allows this token next. */
export function grammarAllows(model: LlamaModel, state: LlamaGrammarEvaluationState, token: Token): boolean {
  return bindings(model).AddonSampler.canBeNextTokenForGrammarEvaluationState(findNative(state), token);
}

/** Advances the grammar by a token that it allows. */
export function acceptToken(model: LlamaModel, state: LlamaGrammarEvaluationState, token: Token): void {
  bindings(model).AddonSampler.acceptGrammarEvaluationStateToken(findNative(state), token);
}

function bindings(model: LlamaModel): Bindings {
  return (model.llama as unknown as { readonly _bindings: Bindings })._bindings;
}

function findNative(state: LlamaGrammarEvaluationState): unknown {
  return (state as unknown as { readonly _state: unknown })._state;
}
