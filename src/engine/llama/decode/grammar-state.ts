/**
 * Asking and telling a grammar what was sampled. The library does both while it samples; a token that is drawn outside of it,
 * or text that was there before the grammar took over, goes through its native binding, which its types do not show.
 */
import { LlamaGrammarEvaluationState, type LlamaGrammar, type LlamaModel, type Token } from "node-llama-cpp";

interface Bindings {
  readonly AddonSampler: {
    canBeNextTokenForGrammarEvaluationState(state: unknown, token: Token): boolean;
    acceptGrammarEvaluationStateToken(state: unknown, token: Token): void;
  };
}

/** Begins to hold an answer to a grammar. */
export function startGrammar(model: LlamaModel, grammar: LlamaGrammar): LlamaGrammarEvaluationState {
  return new LlamaGrammarEvaluationState({ model, grammar });
}

/** Whether the grammar allows this token next. */
export function canFollow(model: LlamaModel, state: LlamaGrammarEvaluationState, token: Token): boolean {
  return bindings(model).AddonSampler.canBeNextTokenForGrammarEvaluationState(nativeOf(state), token);
}

/** Tells the grammar of a token that it allows. */
export function acceptToken(model: LlamaModel, state: LlamaGrammarEvaluationState, token: Token): void {
  bindings(model).AddonSampler.acceptGrammarEvaluationStateToken(nativeOf(state), token);
}

function bindings(model: LlamaModel): Bindings {
  return (model.llama as unknown as { readonly _bindings: Bindings })._bindings;
}

function nativeOf(state: LlamaGrammarEvaluationState): unknown {
  return (state as unknown as { readonly _state: unknown })._state;
}
