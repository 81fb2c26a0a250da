/**
 * How a model calls tools: found by its chat template's text, never by its name. A format reads calls out of answers, gives the
 * grammar of a forced call and of one that has begun, and hands conversations with calls and results to the template. It is
 * made of a family's description; it does not run tools, check arguments against their schema, or render the template.
 */
import type { Message, Tool } from "../../../core/generation.js";
import type { RuleBook } from "../../../grammar/gbnf.js";
import { fallback, families } from "./families.js";
import { shows, type ToolFamily } from "./family.js";
import { callContinuation, callGrammar, type Asked } from "./grammar.js";
import { historyOf, renderMessages, type TemplateMessage } from "./messages.js";
import { createParser, readAnswer, type ToolParser } from "./parse.js";
import { readHarmony } from "./parse/harmony.js";
import { openingOf, piecesOf, type Mark } from "./syntax.js";
import { createOpeningWatch, type OpeningWatch } from "./watch.js";

export interface ToolFormat {
  readonly name: string;
  /** Whether a template writes this family's calls. */
  recognises(template: string): boolean;
  /** What begins a call: pieces with any white space between them; `atStart` where it does so only as the whole answer. */
  readonly openings: readonly { readonly pieces: readonly string[]; readonly atStart: boolean }[];
  /** Texts that may be control tokens of the vocabulary: their bytes have to reach the parser as text. */
  readonly marks: readonly string[];
  /** The arguments are written as JSON, so that a grammar of them says all that their schema does. */
  readonly exact: boolean;
  /** Several calls may stand in one turn. */
  readonly parallel: boolean;
  /** The parser tells reasoning apart by itself and has to read the whole answer, with or without tools. */
  readonly readsReasoning: boolean;
  /** Stands between the start of the model's turn and an answer that is text. */
  readonly answerOpening: string;
  /** Whether the template is given `tools`; false: `renderMessages` puts the definitions into the system message. */
  readonly writesDefinitions: boolean;
  /** A parser of one answer; what is called and not among `tools` stays text. */
  parser(tools: readonly Tool[]): ToolParser;
  /** Watches an answer for the beginning of a call. */
  watch(): OpeningWatch;
  /**
   * The right side of a rule: the calls that are asked for and nothing else. For the start of an answer.
   * @throws RangeError without a tool, or where a name that is written bare holds a lone surrogate
   * @throws GrammarTooLarge
   */
  callGrammar(asked: Asked, rules: RuleBook): string;
  /**
   * The same for a call that has begun.
   * @param begun the answer from the first character of the opening on, as the watch tells it
   * @returns null when the call cannot be held to any grammar any more: then the parser alone judges it
   */
  continuation(begun: string, asked: Asked, rules: RuleBook): string | null;
  /** Messages as the template takes them. */
  renderMessages(messages: readonly Message[], tools: readonly Tool[]): readonly TemplateMessage[];
}

/** The format that a template writes; of one that says nothing of tools, the one that is put into words. */
export function toolFormatOf(template: string): ToolFormat {
  return createFormat(families.find(({ signs }) => shows(signs, template)) ?? fallback, template);
}

function createFormat(family: ToolFamily, template: string): ToolFormat {
  const { syntaxes, signs } = family;
  const history = historyOf(template, family, family === fallback);
  const read = family.messages === true ? readHarmony : readAnswer(syntaxes);
  const [main] = syntaxes;
  return {
    name: family.name,
    recognises: (other) =>
      family === fallback ? !families.some((each) => shows(each.signs, other)) : shows(signs, other),
    openings: syntaxes.map((syntax) => ({
      pieces: openingOf(syntax),
      atStart: syntax.wholeAnswer === true,
    })),
    marks: marksOf(family),
    exact: syntaxes.every(({ body }) => body.type !== "tagged"),
    parallel: !history.oneCall && main.endsTurn !== true,
    readsReasoning: family.messages === true,
    answerOpening: family.messages === true ? "<|channel|>final<|message|>" : "",
    writesDefinitions: history.writesDefinitions,
    parser: (tools) => createParser(tools, read),
    watch: () => createOpeningWatch(syntaxes),
    callGrammar: (asked, rules) => callGrammar(main, asked, rules),
    continuation: (begun, asked, rules) => {
      for (const syntax of syntaxes) {
        const found = callContinuation(syntax, begun, asked, rules);
        if (found !== null) return found;
      }
      return null;
    },
    renderMessages: (messages, tools) => renderMessages(family, history, messages, tools),
  };
}

function marksOf(family: ToolFamily): readonly string[] {
  const marks: Mark = family.syntaxes.flatMap(({ section, between, before, body, after }) => [
    ...(section === undefined ? [] : [...section.open, ...section.close]),
    ...between,
    ...before,
    ...after,
    ...(body.type === "envelope" ? [] : body.afterName),
    ...(body.type === "tagged" ? [body.keyOpen, ...body.keyClose, ...body.valueClose] : []),
    ...(body.type === "named" && body.aside !== undefined ? [body.aside.mark] : []),
  ]);
  const messages = family.messages === true ? ["<|start|>", "<|end|>", "<|return|>"] : [];
  return [...new Set([...piecesOf(marks), ...messages])].filter((mark) => mark.length > 2);
}
