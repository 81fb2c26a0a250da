/**
 * Selects the grammar that constrains the next token of one answer: none while the model reasons, then the grammar of the requested
 * text or of forced calls, or, once the model starts a call by itself, the grammar of that call. It does not sample and emits no events.
 *
 * Modes: free (no grammar applies yet) -> opening (the answer may still begin with a reasoning block) -> constrained.
 */
import type { DecodeJob } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import { createObjectKeys, type ObjectKeys } from "../../../core/json/object-keys.js";
import { GrammarTooLarge, literal, RuleSet } from "../../../grammar/gbnf.js";
import type { AnswerMode } from "./answer-text.js";
import type { ModelLanguage } from "../language.js";
import type { ToolFormat } from "../tools/format.js";
import type { RequestedCalls } from "../tools/grammar.js";
import type { CallOpeningDetector } from "../tools/call-opening.js";
import { createBoundError, isBeyondBound } from "./grammar-bounds.js";

/** Maximum number of calls in one answer, where the client sets no limit. */
const callsMax = 32;

/** White space that models write between reasoning and answer; it belongs to neither. */
const whiteSpaceRule = "[ \\n]{0,2}";

/** What would repeat an item. */
export interface RepeatedItems {
  /** What earlier items have next. Such a text begins like one of them, or with one of the characters. */
  readonly rests: ReadonlySet<string>;
  readonly characters: ReadonlySet<string>;
  /** Whether the text begins inside of a string, where white space counts. */
  readonly inString: boolean;
  /** Returns whether this text would repeat an item, or leave no other item. */
  isBy(text: string): boolean;
}

/** Follows the text of an answer through its grammar. */
export interface TextFollower {
  /** Whether the grammar has more ways to go on than it may have. */
  readonly isTooWide?: boolean;
  /** What would repeat an item of an array whose items must differ; null where nothing can, absent where that is not followed. */
  readonly itemRepeats?: RepeatedItems | null;
  push(text: string): void;
}

/** A grammar at its position in an answer, as the engine that samples has it. */
export interface StartedGrammar<S, F extends TextFollower> {
  readonly state: S;
  /** null where the engine does not need one. */
  readonly follower: F | null;
}

type AnswerMarks = ModelLanguage["answerMarks"];

/** A model as a constraint sees it. */
export interface ConstrainedModel<S, F extends TextFollower> {
  readonly tools: ModelLanguage["tools"];
  readonly reasoning: ModelLanguage["reasoning"];
  readonly answerMarks?: AnswerMarks;
  /**
   * Starts a grammar.
   * @param root the name of a rule. @param written text that is already written of what the grammar describes
   * @throws Error when the text does not match the grammar.
   */
  startGrammar(book: RuleSet, root: string, written: string): StartedGrammar<S, F>;
}

export interface Constraint<S, F extends TextFollower> {
  /** Whether an answer is required even if the model ends its turn while it still reasons. */
  readonly needsAnswer: boolean;
  /** The grammar state that constrains the next token, if any; another object where another grammar begins. */
  readonly state: S | undefined;
  /** Follows the text through that grammar; null where none applies. */
  readonly follower: F | null;
  /** The keys of the JSON objects that are open where a grammar applies. */
  readonly keys: ObjectKeys;
  /** Receives the mode and the new text of the answer after every token. @throws Error when the text does not match the grammar. */
  observe(mode: AnswerMode, written: string): void;
}

/**
 * Creates the constraint of a job; null when its text is unconstrained and it has no tools.
 * @throws HearthError `invalid_value` when all rules together are too large for one grammar, or allow too much at its beginning.
 */
export function createConstraint<S, F extends TextFollower>(
  model: ConstrainedModel<S, F>,
  job: DecodeJob,
  mode: AnswerMode,
): Constraint<S, F> | null {
  try {
    return buildConstraint(model, job, mode);
  } catch (thrown) {
    if (isBeyondBound(thrown)) throw createBoundError(null, job.rules.text === null);
    if (!(thrown instanceof GrammarTooLarge)) throw thrown;
    const message = `The schemas of the tools together make a grammar that is too large (${thrown.message}).`;
    throw new HearthError("invalid_value", message, {
      param: "tools",
      code: "invalid_schema",
      cause: thrown,
    });
  }
}

function buildConstraint<S, F extends TextFollower>(
  model: ConstrainedModel<S, F>,
  job: DecodeJob,
  mode: AnswerMode,
): Constraint<S, F> | null {
  const { rules, toolChoice } = job;
  const requested = requestedCalls(model.tools, job);
  const whole = wholeAnswerGrammar(model.tools, job, requested, model.answerMarks ?? null);
  // With reasoning disabled, the answer must not begin with a reasoning block.
  const startMode = mode === "opening" && job.reasoningTokensMax === 0 ? "answer" : mode;
  if (whole !== null) return new WholeAnswerConstraint(model, whole, startMode);
  if (requested === null || toolChoice.mode !== "auto") return null;
  return new StartedCallConstraint(model, rules.rules, requested);
}

function requestedCalls(format: ToolFormat, { tools, toolChoice, rules }: DecodeJob): RequestedCalls | null {
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
  format: ToolFormat,
  { rules, toolChoice, prompt }: DecodeJob,
  requested: RequestedCalls | null,
  answerMarks: AnswerMarks,
): WholeAnswerGrammar | null {
  const forced = toolChoice.mode === "required" && requested !== null;
  if (rules.text === null && !forced) return null;
  const book = createBook(rules.rules);
  const calls = requested === null ? [] : [callGrammar(format, requested, answerMarks, book)];
  const isRaw = prompt.rawText !== undefined;
  const opening = isRaw || format.promptEnd === "" ? "" : `${literal(format.answerOpening)} `;
  const text = rules.text === null || forced ? [] : [opening + rules.text];
  return { book, answer: book.toName([...text, ...calls].join(" | ")) };
}

/** The prompt may already have the mark before the call; the model may write an empty text before it, between the marks of texts. */
function callGrammar(
  format: ToolFormat,
  requested: RequestedCalls,
  answerMarks: AnswerMarks,
  book: RuleSet,
): string {
  const { promptEnd } = format;
  const rest = promptEnd === "" ? null : format.continuation(promptEnd, requested, book);
  if (rest !== null) return rest;
  const { open = "", close = "" } = answerMarks ?? {};
  const emptyText = open === "" ? "" : `(${whiteSpaceRule} ${literal(open)} (${literal(close)})?)? `;
  return emptyText + format.callGrammar(requested, book);
}

function createBook(rules: ReadonlyMap<string, string>): RuleSet {
  const book = new RuleSet({ prefix: "c" });
  for (const [name, rightSide] of rules) book.define(name, rightSide);
  return book;
}

class WholeAnswerConstraint<S, F extends TextFollower> implements Constraint<S, F> {
  readonly needsAnswer = true;
  readonly keys = createObjectKeys();
  readonly #model: ConstrainedModel<S, F>;
  readonly #whole: WholeAnswerGrammar;
  #mode: "free" | "opening" | "constrained";
  state: S | undefined;
  follower: F | null = null;

  constructor(model: ConstrainedModel<S, F>, whole: WholeAnswerGrammar, mode: AnswerMode) {
    this.#model = model;
    this.#whole = whole;
    const { book, answer } = whole;
    this.#mode = mode === "reasoning" ? "free" : mode === "opening" ? "opening" : "constrained";
    if (mode === "reasoning") return;
    const { open = "", close = "" } = model.reasoning ?? {};
    const root =
      mode === "opening" && open !== ""
        ? book.add(`${answer} | ${whiteSpaceRule} (${literal(open)} | ${literal(close)})`)
        : answer;
    ({ state: this.state, follower: this.follower } = model.startGrammar(book, root, ""));
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
      // Where only a mark was written, which ends reasoning that the model has not begun, the answer is still to come.
      if (this.#mode === "free" || written.trim() === "") {
        const { book, answer } = this.#whole;
        const root = book.add(`${whiteSpaceRule} ${answer}`);
        ({ state: this.state, follower: this.follower } = this.#model.startGrammar(book, root, written));
      }
      this.#mode = "constrained";
    }
  }
}

/** Leaves the text free until the model starts a call, then applies the grammar of that call. */
class StartedCallConstraint<S, F extends TextFollower> implements Constraint<S, F> {
  readonly needsAnswer = false;
  readonly keys = createObjectKeys();
  readonly #model: ConstrainedModel<S, F>;
  readonly #rules: ReadonlyMap<string, string>;
  readonly #requested: RequestedCalls;
  readonly #detector: CallOpeningDetector;
  state: S | undefined;
  follower: F | null = null;

  constructor(model: ConstrainedModel<S, F>, rules: ReadonlyMap<string, string>, requested: RequestedCalls) {
    this.#model = model;
    this.#rules = rules;
    this.#requested = requested;
    this.#detector = model.tools.createOpeningDetector();
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
    const book = createBook(this.#rules);
    const rest = this.#model.tools.continuation(started, this.#requested, book);
    if (rest === null) return;
    ({ state: this.state, follower: this.follower } = this.#model.startGrammar(book, book.toName(rest), ""));
  }
}
