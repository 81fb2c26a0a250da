/**
 * How a model calls tools, selected by the text of its chat template and never by its name. A format parses calls from answers, builds
 * the grammar of a forced call and of a call that the model has started, and converts conversations with calls and results for the
 * template. It is built from a family's description. It does not run tools, validate arguments, or render the template.
 */
import type { Message, Tool } from "../../../core/generation.js";
import type { RuleSet } from "../../../grammar/gbnf.js";
import type { DerivedCalls, DerivedTools } from "./derived.js";
import { fallback, families } from "./families.js";
import { matchesSigns, type ToolFamily } from "./family.js";
import { callContinuation, callGrammar, type RequestedCalls } from "./grammar.js";
import {
  inWords,
  readTemplateCapabilities,
  renderMessages,
  type TemplateCapabilities,
  type TemplateMessage,
} from "./messages.js";
import { createParser, readAnswer, type ToolParser } from "./parse.js";
import { readHarmony } from "./parse/harmony.js";
import { Output } from "./parse/output.js";
import { keyPlace, openingPieces, splitPieces, type CallMark, type CallSyntax } from "./syntax.js";
import { callsAsText } from "./tools-as-text.js";
import { writtenUnmarked } from "./unmarked.js";
import { createCallOpeningDetector, type CallOpeningDetector } from "./call-opening.js";

/** How a template gets messages and the definitions of tools. */
interface MessageFormat {
  /** Whether the template receives `tools`; false: `renderMessages` writes the definitions into the system message. */
  readonly writesDefinitions: boolean;
  /** Converts messages to the form that the template expects. */
  renderMessages(messages: readonly Message[], tools: readonly Tool[]): readonly TemplateMessage[];
}

export interface ToolFormat extends MessageFormat {
  readonly name: string;
  /** Returns whether a template writes this family's calls. */
  recognises(template: string): boolean;
  /** A call as the model writes it, with a line of the text for each line of the call. */
  readonly example: string;
  /** Texts that start a call: pieces with any white space between them; `atStart` if only at the start of the answer. */
  readonly openings: readonly { readonly pieces: readonly string[]; readonly atStart: boolean }[];
  /** Texts that may be control tokens of the vocabulary, and that the parser needs as text. */
  readonly marks: readonly string[];
  /** Whether arguments are written as JSON, so that a grammar can express their whole schema. */
  readonly exact: boolean;
  /** Whether one turn may contain several calls. */
  readonly parallel: boolean;
  /** Whether the parser itself separates the reasoning, and so must read the whole answer even without tools. */
  readonly readsReasoning: boolean;
  /** Ends reasoning that the parser separates, and begins the text; null where marks around the reasoning end it. */
  readonly reasoningClosing: string | null;
  /** The end of each prompt that belongs to the answer: the mark before a call; "" where prompts have none. */
  readonly promptEnd: string;
  /** The mark that ends a text where it is a part of what begins a call; "" where it is none. */
  readonly textEnd: string;
  /** Written between the start of the model's turn and a text answer. */
  readonly answerOpening: string;
  /**
   * Creates a parser of one answer. A call of a tool that is not in `tools` stays text.
   * @param hides whether calls are not wanted: then what begins like one and is none is left out, too.
   */
  parser(tools: readonly Tool[], hides?: boolean): ToolParser;
  /** Creates a detector of the beginning of a call. */
  createOpeningDetector(): CallOpeningDetector;
  /**
   * Returns the right side of a rule that allows only the requested calls, from the start of an answer.
   * @throws RangeError without a tool, or where a bare name contains a lone surrogate
   * @throws GrammarTooLarge
   */
  callGrammar(requested: RequestedCalls, rules: RuleSet): string;
  /**
   * Returns the right side of a rule for the rest of a call that the model has started.
   * @param started the answer from the first character of the opening, as the detector returns it
   * @returns null when no grammar matches what was written; the parser then decides whether it is a call
   */
  continuation(started: string, requested: RequestedCalls, rules: RuleSet): string | null;
  /** The same with everything about tools as plain text, for conversations that the template refuses. */
  readonly inWords: MessageFormat;
}

/**
 * Returns the format that a template writes; for a template without tools, the fallback, which describes tools in plain text.
 * @param derived what renderings of the template have shown; null: its text alone decides
 */
export function readToolFormat(template: string, derived: DerivedTools | null = null): ToolFormat {
  const known = families.find(({ signs }) => matchesSigns(signs, template));
  const family = known ?? fallback;
  const { calls = null } = derived ?? {};
  const byText = {
    ...readTemplateCapabilities(template, family, known === undefined),
    reasoningInParts: derived?.reasoningInParts === true,
  };
  // A sequence of messages is no text with calls in it.
  const textEnd = derived?.answerMarks?.close ?? "";
  if (derived === null || calls === null || known?.messages === true) return createFormat(family, byText);
  if (calls === "hidden") return createFormat(family, { ...byText, writesCalls: false });
  return createFormat(
    derivedFamily(known, calls),
    {
      ...byText,
      writesCalls: true,
      writesResults: true,
      writesDefinitions: known?.definitionsInSystem === true || derived.writesDefinitions,
      argumentsAsText: calls.argumentsAsText,
      oneCall: calls.oneCall,
    },
    textEnd,
  );
}

/** Returns a family for the derived calls, which also reads what the models of a known family write. */
function derivedFamily(known: ToolFamily | undefined, calls: DerivedCalls): ToolFamily {
  return {
    name: known?.name ?? "derived",
    signs: known?.signs ?? { all: [] },
    syntaxes: [calls.syntax, ...(known?.syntaxes ?? [])],
    emptyContent: calls.emptyContent ? null : undefined,
    ids: calls.ids,
    textOpening: calls.textOpening,
    separatesText: calls.separatesText,
    definitionsInSystem: known?.definitionsInSystem,
    resultMarks: known?.resultMarks,
  };
}

/** @param answerEnd the mark that ends a text; "": it has no mark */
function createFormat(family: ToolFamily, capabilities: TemplateCapabilities, answerEnd = ""): ToolFormat {
  const { syntaxes, signs } = family;
  const beginsCall = (mark: string): boolean =>
    syntaxes.some((syntax) => openingPieces(syntax).some((piece) => mark.startsWith(piece)));
  const textEnd = answerEnd !== "" && beginsCall(answerEnd) ? answerEnd : "";
  const read = family.messages === true ? readHarmony : readAnswer(syntaxes, textEnd);
  const [main] = syntaxes;
  const isExact = syntaxes.every(hasExactGrammar);
  // What has no exact grammar is forced only where nothing else has one.
  const unmarked =
    family.messages === true ? [] : isExact ? writtenUnmarked.filter(hasExactGrammar) : writtenUnmarked;
  return {
    name: family.name,
    recognises: (other) =>
      family === fallback
        ? !families.some((each) => matchesSigns(each.signs, other))
        : matchesSigns(signs, other),
    example: callsAsText(main, [{ name: "NAME", arguments: '{"key": "value"}' }]),
    openings: syntaxes.map((syntax) => ({
      pieces: openingPieces(syntax),
      atStart: syntax.wholeAnswer === true,
    })),
    marks: listMarks(family),
    exact: isExact,
    parallel: main.endsTurn !== true,
    readsReasoning: family.messages === true,
    reasoningClosing:
      family.messages === true ? "<|end|><|start|>assistant<|channel|>final<|message|>" : null,
    promptEnd: main.promptEnd ?? "",
    textEnd,
    answerOpening: family.messages === true ? "<|channel|>final<|message|>" : (family.textOpening ?? ""),
    writesDefinitions: capabilities.writesDefinitions,
    parser: (tools, hides = false) => createParser(new Output(tools, hides), read),
    createOpeningDetector: () => createCallOpeningDetector(syntaxes),
    callGrammar: (requested, rules) => callGrammar(syntaxes, unmarked, requested, rules),
    continuation: (started, requested, rules) => {
      const found = [...syntaxes, ...unmarked].flatMap(
        (syntax) => callContinuation(syntax, started, requested, rules) ?? [],
      );
      return found.length === 0 ? null : [...new Set(found)].map((side) => `(${side})`).join(" | ");
    },
    renderMessages: (messages, tools) => renderMessages(family, capabilities, messages, tools),
    inWords: {
      writesDefinitions: false,
      renderMessages: (messages, tools) => renderMessages(family, inWords(capabilities), messages, tools),
    },
  };
}

/** Whether a grammar can express the whole schema of the arguments. */
function hasExactGrammar({ body }: CallSyntax): boolean {
  return body.type === "envelope" ? body.argumentsMayBeText !== true : body.type === "bare-name";
}

function listMarks(family: ToolFamily): readonly string[] {
  const marks: CallMark = family.syntaxes.flatMap(
    ({ section, between, before, afterId, body, after, turnEnd }) => [
      ...(section === undefined ? [] : [...section.open, ...section.close]),
      ...between,
      ...before,
      ...(afterId ?? []),
      ...after,
      ...(turnEnd ?? []),
      ...(body.type === "bare-name" || body.type === "tagged" ? body.afterName : []),
      ...(body.type === "notation" ? [body.quote] : []),
      ...(body.type === "tagged" ? [body.keyOpen, ...body.keyClose, ...body.valueClose] : []),
      ...("idAfterName" in body && body.idAfterName !== undefined ? [body.idAfterName.mark] : []),
    ],
  );
  const messages = family.messages === true ? ["<|start|>", "<|end|>", "<|return|>"] : [];
  return [...new Set([...splitPieces(marks), ...messages])].filter(
    (mark) => mark.length > 2 && !mark.includes(keyPlace),
  );
}
