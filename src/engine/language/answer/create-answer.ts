/** Creates the event builder of a job's answer. */
import { AnswerBuilder, type AnswerOptions } from "./answer.js";
import type { CallsInReasoning } from "./answer-text.js";
import type { Tool } from "../../../core/generation.js";
import type { ToolFormat } from "../tools/format.js";
import type { ModelLanguage } from "../language.js";
import type { DecodeJob } from "../../../core/engine.js";

interface ParsedCalls {
  readonly tools: readonly Tool[];
  /** Whether their calls are left out. */
  readonly hidden: boolean;
}

/**
 * Returns the tools whose calls are parsed from a job's text, and whether these calls are left out of the answer: a model with calls in
 * its conversation may write one although none is wanted. Text with a schema has no calls then.
 */
export function parsedCalls({ tools, toolChoice, rules }: DecodeJob): ParsedCalls {
  const hidden = toolChoice.withheld !== undefined && rules.text === null;
  return { tools: hidden ? (toolChoice.withheld ?? []) : tools, hidden };
}

export function createAnswer(
  { reasoning, answerMarks, tools: format }: ModelLanguage,
  { prompt, stop, toolChoice, callIdPrefix }: DecodeJob,
  calls: ParsedCalls,
): AnswerBuilder {
  const isRaw = prompt.rawText !== undefined;
  const parses = !isRaw && (calls.tools.length > 0 || format.readsReasoning);
  const options: AnswerOptions = {
    marks: isRaw ? null : reasoning,
    // What also begins a call is left to the parser.
    answerMarks:
      isRaw || answerMarks === null
        ? null
        : parses && format.textEnd !== ""
          ? { ...answerMarks, close: "" }
          : answerMarks,
    startsInReasoning: prompt.startsInReasoning,
    stop,
    parser: parses ? format.parser(calls.tools, calls.hidden) : null,
    hidesCalls: calls.hidden,
    callIdPrefix,
    onlyCalls: toolChoice.mode === "required",
  };
  const hasCalls = parses && calls.tools.length > 0 && !calls.hidden;
  return new AnswerBuilder({
    ...options,
    callsInReasoning: hasCalls ? findCalls(format, calls.tools) : undefined,
    begun:
      isRaw || format.promptEnd === ""
        ? undefined
        : { promptEnd: format.promptEnd, textOpening: format.answerOpening },
  });
}

/** Some models call tools without ending their reasoning. */
export function findCalls(format: ToolFormat, tools: readonly Tool[]): CallsInReasoning {
  const openings = format.openings.flatMap(({ pieces, atStart }) => (atStart ? [] : pieces.slice(0, 1)));
  return {
    openings: openings.filter((opening) => opening.length > 2),
    isCalls(text) {
      const parser = format.parser(tools);
      const events = [...parser.push(text), ...parser.finish()];
      const isOther = events.some(
        (event) => event.type === "call-broken" || (event.type === "text" && event.text.trim() !== ""),
      );
      return !isOther && events.some(({ type }) => type === "call-end");
    },
  };
}
