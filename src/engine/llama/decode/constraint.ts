/**
 * What holds one answer to its rules, token by token: nothing while the model reasons, then the grammar of the text that was
 * asked for, of forced calls, or, once the model begins a call by itself, of that call. It does not sample and tells no events.
 *
 * Modes: free (before the rules apply, or none do) -> opening (the answer may still begin with a reasoning block) -> held.
 */
import { LlamaGrammar, type LlamaGrammarEvaluationState, type Token } from "node-llama-cpp";
import type { DecodeJob } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import { GrammarTooLarge, literal, RuleBook } from "../../../grammar/gbnf.js";
import type { AnswerMode } from "../answer/answer-text.js";
import { acceptToken, canFollow, startGrammar } from "./grammar-state.js";
import type { Resident } from "../load/resident.js";
import type { Asked } from "../tools/grammar.js";
import type { OpeningWatch } from "../tools/watch.js";

/** Calls in one answer, where the client sets no bound. */
const callsMax = 32;

/** White space that models put between their reasoning and their answer; it is no part of either. */
const leadRule = "[ \\n]{0,2}";

export interface Constraint {
  /** The answer has to come, also when the model would end its turn while it still reasons. */
  readonly needsAnswer: boolean;
  /** What the next token is held to. */
  readonly state: LlamaGrammarEvaluationState | undefined;
  /** Told of the answer after every token. @throws Error when what was written fits no rule. */
  saw(mode: AnswerMode, written: string): void;
}

/**
 * The constraint of a job, or null when nothing is asked of its text and it has no tools.
 * @throws HearthError `invalid_value` when all its rules together are too much for one grammar.
 */
export function createConstraint(resident: Resident, job: DecodeJob, mode: AnswerMode): Constraint | null {
  try {
    return constraintOf(resident, job, mode);
  } catch (thrown) {
    if (!(thrown instanceof GrammarTooLarge)) throw thrown;
    const message = `The schemas of the tools together make a grammar that is too large (${thrown.message}).`;
    throw new HearthError("invalid_value", message, {
      param: "tools",
      code: "invalid_schema",
      cause: thrown,
    });
  }
}

function constraintOf(resident: Resident, job: DecodeJob, mode: AnswerMode): Constraint | null {
  const { rules, toolChoice } = job;
  const asked = askedOf(resident, job);
  const whole = wholeAnswer(resident, job, asked);
  // A model that is told not to think gets no chance to begin with it.
  const begins = mode === "opening" && job.reasoningTokensMax === 0 ? "answer" : mode;
  if (whole !== null) return new WholeAnswer(resident, whole, begins);
  if (asked === null || toolChoice.mode !== "auto") return null;
  return new BegunCall(resident, rules.rules, asked);
}

function askedOf({ tools: format }: Resident, { tools, toolChoice, rules }: DecodeJob): Asked | null {
  const usable = tools.flatMap((tool, index) => {
    const allowed = toolChoice.names?.includes(tool.name) ?? true;
    const rule = rules.toolArguments[index];
    return allowed && rule !== undefined ? [{ tool, rule }] : [];
  });
  if (usable.length === 0 || toolChoice.mode === "none") return null;
  return {
    tools: usable.map(({ tool }) => tool),
    argumentRules: usable.map(({ rule }) => rule),
    callsMin: 1,
    callsMax: toolChoice.parallel && format.parallel ? callsMax : 1,
  };
}

/** GBNF rules and the right side of the whole answer. */
interface Whole {
  readonly book: RuleBook;
  readonly answer: string;
}

function wholeAnswer(
  { tools }: Resident,
  { rules, toolChoice }: DecodeJob,
  asked: Asked | null,
): Whole | null {
  const forced = toolChoice.mode === "required" && asked !== null;
  if (rules.text === null && !forced) return null;
  const book = bookOf(rules.rules);
  const calls = asked === null ? [] : [tools.callGrammar(asked, book)];
  const text = rules.text === null || forced ? [] : [rules.text];
  return { book, answer: book.named([...text, ...calls].join(" | ")) };
}

function bookOf(rules: ReadonlyMap<string, string>): RuleBook {
  const book = new RuleBook({ prefix: "c" });
  for (const [name, rightSide] of rules) book.define(name, rightSide);
  return book;
}

class WholeAnswer implements Constraint {
  readonly needsAnswer = true;
  readonly #resident: Resident;
  readonly #whole: Whole;
  #mode: "free" | "opening" | "held";
  state: LlamaGrammarEvaluationState | undefined;

  constructor(resident: Resident, whole: Whole, mode: AnswerMode) {
    this.#resident = resident;
    this.#whole = whole;
    const { book, answer } = whole;
    this.#mode = mode === "reasoning" ? "free" : mode === "opening" ? "opening" : "held";
    if (mode === "reasoning") return;
    const open = resident.reasoning?.open ?? "";
    const root = mode === "opening" && open !== "" ? book.add(`${answer} | ${literal(open)}`) : answer;
    this.state = begin(resident, book, root);
  }

  saw(mode: AnswerMode, written: string): void {
    if (this.#mode === "held") return;
    if (mode === "reasoning") {
      this.#mode = "free";
      this.state = undefined;
    } else if (mode === "answer") {
      if (this.#mode === "free") {
        const { book, answer } = this.#whole;
        this.state = begin(this.#resident, book, book.add(`${leadRule} ${answer}`));
        acceptText(this.#resident, this.state, written);
      }
      this.#mode = "held";
    }
  }
}

/** Free text until the model begins a call. */
class BegunCall implements Constraint {
  readonly needsAnswer = false;
  readonly #resident: Resident;
  readonly #rules: ReadonlyMap<string, string>;
  readonly #asked: Asked;
  readonly #watch: OpeningWatch;
  state: LlamaGrammarEvaluationState | undefined;

  constructor(resident: Resident, rules: ReadonlyMap<string, string>, asked: Asked) {
    this.#resident = resident;
    this.#rules = rules;
    this.#asked = asked;
    this.#watch = resident.tools.watch();
  }

  saw(mode: AnswerMode, written: string): void {
    if (mode !== "answer" || this.state !== undefined) return;
    const begun = this.#watch.push(written);
    if (begun === null) return;
    const book = bookOf(this.#rules);
    const rest = this.#resident.tools.continuation(begun, this.#asked, book);
    if (rest !== null) this.state = begin(this.#resident, book, book.named(rest));
  }
}

function begin(resident: Resident, book: RuleBook, root: string): LlamaGrammarEvaluationState {
  const { weights, grammars } = resident;
  const text = book.text(root);
  const grammar = grammars.get(text) ?? new LlamaGrammar(weights.llama, { grammar: text });
  grammars.set(text, grammar);
  return startGrammar(weights, grammar);
}

/** What a token held beyond the mark that ended the reasoning is the answer's beginning. */
function acceptText(resident: Resident, state: LlamaGrammarEvaluationState, text: string): void {
  if (text === "") return;
  for (const token of resident.weights.tokenize(text, false) as readonly Token[]) {
    if (!canFollow(resident.weights, state, token))
      throw new Error("the answer began with what no rule allows");
    acceptToken(resident.weights, state, token);
  }
}
