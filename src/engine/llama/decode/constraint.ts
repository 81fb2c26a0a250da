/**
 * Selects the grammar that constrains the next token of one answer: none while the model reasons, then the grammar of the requested
 * text or of forced calls, or, once the model starts a call by itself, the grammar of that call. It does not sample and emits no events.
 *
 * Modes: free (no grammar applies yet) -> opening (the answer may still begin with a reasoning block) -> constrained.
 */
import { LlamaGrammar, type LlamaGrammarEvaluationState, type Token } from "node-llama-cpp";
import type { DecodeJob } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import { createObjectKeys, type ObjectKeys } from "../../../core/json/object-keys.js";
import { GrammarFollower } from "../../../grammar/follow/follower.js";
import { GrammarStacks } from "../../../grammar/follow/stacks.js";
import { GrammarTooLarge, literal, RuleSet } from "../../../grammar/gbnf.js";
import type { AnswerMode } from "../answer/answer-text.js";
import { acceptToken, grammarAllows, startGrammar } from "./grammar-state.js";
import type { Resident } from "../load/resident.js";
import type { ToolFormat } from "../tools/format.js";
import type { RequestedCalls } from "../tools/grammar.js";
import type { CallOpeningDetector } from "../tools/call-opening.js";

/** Maximum number of calls in one answer, where the client sets no limit. */
const callsMax = 32;

/** White space that models write between reasoning and answer; it belongs to neither. */
const whiteSpaceRule = "[ \\n]{0,2}";

export interface Constraint {
  /** Whether an answer is required even if the model ends its turn while it still reasons. */
  readonly needsAnswer: boolean;
  /** The grammar state that constrains the next token, if any. */
  readonly state: LlamaGrammarEvaluationState | undefined;
  /** Follows the text through that grammar; null where none applies, or forced text is not drafted. */
  readonly follower: GrammarFollower | null;
  /** The keys of the JSON objects that are open where a grammar applies. */
  readonly keys: ObjectKeys;
  /** Receives the mode and the new text of the answer after every token. @throws Error when the text does not match the grammar. */
  observe(mode: AnswerMode, written: string): void;
}

/**
 * Creates the constraint of a job; null when its text is unconstrained and it has no tools.
 * @throws HearthError `invalid_value` when all rules together are too large for one grammar.
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
  const requested = requestedCalls(resident, job);
  const whole = wholeAnswerGrammar(resident, job, requested);
  // With reasoning disabled, the answer must not begin with a reasoning block.
  const startMode = mode === "opening" && job.reasoningTokensMax === 0 ? "answer" : mode;
  if (whole !== null) return new WholeAnswerConstraint(resident, whole, startMode);
  if (requested === null || toolChoice.mode !== "auto") return null;
  return new StartedCallConstraint(resident, rules.rules, requested);
}

function requestedCalls(
  { tools: format }: Resident,
  { tools, toolChoice, rules }: DecodeJob,
): RequestedCalls | null {
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

/** GBNF rules, and the right side of the rule for the whole answer. */
interface WholeAnswerGrammar {
  readonly book: RuleSet;
  readonly answer: string;
}

function wholeAnswerGrammar(
  { tools }: Resident,
  { rules, toolChoice }: DecodeJob,
  requested: RequestedCalls | null,
): WholeAnswerGrammar | null {
  const forced = toolChoice.mode === "required" && requested !== null;
  if (rules.text === null && !forced) return null;
  const book = bookOf(rules.rules);
  const calls = requested === null ? [] : [callGrammar(tools, requested, book)];
  const opening = tools.promptEnd === "" ? "" : `${literal(tools.answerOpening)} `;
  const text = rules.text === null || forced ? [] : [opening + rules.text];
  return { book, answer: book.nameOf([...text, ...calls].join(" | ")) };
}

/** The prompt may already have the mark before the call. */
function callGrammar(format: ToolFormat, requested: RequestedCalls, book: RuleSet): string {
  const { promptEnd } = format;
  const rest = promptEnd === "" ? null : format.continuation(promptEnd, requested, book);
  return rest ?? format.callGrammar(requested, book);
}

function bookOf(rules: ReadonlyMap<string, string>): RuleSet {
  const book = new RuleSet({ prefix: "c" });
  for (const [name, rightSide] of rules) book.define(name, rightSide);
  return book;
}

class WholeAnswerConstraint implements Constraint {
  readonly needsAnswer = true;
  readonly keys = createObjectKeys();
  readonly #resident: Resident;
  readonly #whole: WholeAnswerGrammar;
  #mode: "free" | "opening" | "constrained";
  state: LlamaGrammarEvaluationState | undefined;
  follower: GrammarFollower | null = null;

  constructor(resident: Resident, whole: WholeAnswerGrammar, mode: AnswerMode) {
    this.#resident = resident;
    this.#whole = whole;
    const { book, answer } = whole;
    this.#mode = mode === "reasoning" ? "free" : mode === "opening" ? "opening" : "constrained";
    if (mode === "reasoning") return;
    const open = resident.reasoning?.open ?? "";
    const root = mode === "opening" && open !== "" ? book.add(`${answer} | ${literal(open)}`) : answer;
    ({ state: this.state, follower: this.follower } = startGrammarOf(resident, book, root));
  }

  observe(mode: AnswerMode, written: string): void {
    if (mode === "answer") this.keys.push(written);
    if (mode === "answer") this.follower?.push(written);
    if (this.#mode === "constrained") return;
    if (mode === "reasoning") {
      this.#mode = "free";
      this.state = undefined;
      this.follower = null;
    } else if (mode === "answer") {
      if (this.#mode === "free") {
        const { book, answer } = this.#whole;
        const root = book.add(`${whiteSpaceRule} ${answer}`);
        const { state, follower } = startGrammarOf(this.#resident, book, root);
        acceptText(this.#resident, state, written);
        follower?.push(written);
        [this.state, this.follower] = [state, follower];
      }
      this.#mode = "constrained";
    }
  }
}

/** Leaves the text free until the model starts a call, then applies the grammar of that call. */
class StartedCallConstraint implements Constraint {
  readonly needsAnswer = false;
  readonly keys = createObjectKeys();
  readonly #resident: Resident;
  readonly #rules: ReadonlyMap<string, string>;
  readonly #requested: RequestedCalls;
  readonly #detector: CallOpeningDetector;
  state: LlamaGrammarEvaluationState | undefined;
  follower: GrammarFollower | null = null;

  constructor(resident: Resident, rules: ReadonlyMap<string, string>, requested: RequestedCalls) {
    this.#resident = resident;
    this.#rules = rules;
    this.#requested = requested;
    this.#detector = resident.tools.createOpeningDetector();
  }

  observe(mode: AnswerMode, written: string): void {
    if (mode !== "answer") return;
    if (this.state !== undefined) {
      this.keys.push(written);
      this.follower?.push(written);
      return;
    }
    const started = this.#detector.push(written);
    if (started === null) return;
    this.keys.push(started);
    const book = bookOf(this.#rules);
    const rest = this.#resident.tools.continuation(started, this.#requested, book);
    if (rest === null) return;
    ({ state: this.state, follower: this.follower } = startGrammarOf(
      this.#resident,
      book,
      book.nameOf(rest),
    ));
  }
}

interface StartedGrammar {
  readonly state: LlamaGrammarEvaluationState;
  readonly follower: GrammarFollower | null;
}

/** @param root the name of a rule */
function startGrammarOf(resident: Resident, book: RuleSet, root: string): StartedGrammar {
  const { weights, grammars, drafts } = resident;
  const text = book.text(root);
  const known = grammars.get(text);
  const grammar = known?.grammar ?? new LlamaGrammar(weights.llama, { grammar: text });
  const stacks =
    known === undefined || known.stacks.isFull
      ? new GrammarStacks(root, (name) => book.rightSide(name))
      : known.stacks;
  grammars.set(text, { grammar, stacks });
  return {
    state: startGrammar(weights, grammar),
    follower: drafts.forced ? new GrammarFollower(stacks) : null,
  };
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
