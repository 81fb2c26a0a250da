/** Grammars as the library samples with them. */
import { LlamaGrammar, type LlamaGrammarEvaluationState, type Token } from "node-llama-cpp";
import { GrammarFollower } from "../../../grammar/follow/follower.js";
import { GrammarStacks } from "../../../grammar/follow/stacks.js";
import type { RuleSet } from "../../../grammar/gbnf.js";
import type { Resident } from "../load/resident.js";
import type { ConstrainedModel, StartedGrammar } from "../../language/answer/constraint.js";
import { acceptToken, grammarAllows, startGrammar } from "./grammar-state.js";
import { GrammarTooWide, stacksMax } from "../../language/answer/grammar-bounds.js";

/** Returns the model with its grammars, which it keeps compiled. */
export function withGrammars(
  resident: Resident,
): ConstrainedModel<LlamaGrammarEvaluationState, GrammarFollower> {
  const { tools, reasoning } = resident;
  return {
    tools,
    reasoning,
    startGrammar(book, root, written) {
      const started = startLibraryGrammar(resident, book, root);
      acceptText(resident, started.state, written);
      started.follower?.push(written);
      return started;
    },
  };
}

function startLibraryGrammar(
  resident: Resident,
  book: RuleSet,
  root: string,
): StartedGrammar<LlamaGrammarEvaluationState, GrammarFollower> {
  const { weights, grammars } = resident;
  const text = book.text(root);
  const known = grammars.get(text);
  const stacks =
    known === undefined || known.stacks.isFull
      ? new GrammarStacks(root, (name) => book.rightSide(name), stacksMax)
      : known.stacks;
  const follower = new GrammarFollower(stacks);
  // The library computes the stacks of the beginning at once, without a bound.
  if (follower.isTooWide) throw new GrammarTooWide();
  const grammar = known?.grammar ?? new LlamaGrammar(weights.llama, { grammar: text });
  grammars.set(text, { grammar, stacks });
  return { state: startGrammar(weights, grammar), follower };
}

/** Feeds the grammar the text that followed the end marker of the reasoning within the same token. */
function acceptText(resident: Resident, state: LlamaGrammarEvaluationState, text: string): void {
  if (text === "") return;
  for (const token of resident.weights.tokenize(text, false) as readonly Token[]) {
    if (!grammarAllows(resident.weights, state, token))
      throw new Error("the beginning of the answer does not match the grammar");
    acceptToken(resident.weights, state, token);
  }
}
