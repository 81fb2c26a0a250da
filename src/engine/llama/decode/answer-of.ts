/** Creates the event builder of a job's answer. */
import { Answer, type AnswerOptions } from "../answer/answer.js";
import type { ParsedCalls } from "../answer/parsed-calls.js";
import type { Resident } from "../load/resident.js";
import type { SeededJob } from "../protocol.js";

export function answerOf(
  { reasoning, tools: format }: Resident,
  { prompt, stop, toolChoice, callIdPrefix }: SeededJob,
  calls: ParsedCalls,
): Answer {
  const isRaw = prompt.rawText !== undefined;
  const parses = !isRaw && (calls.tools.length > 0 || format.readsReasoning);
  const options: AnswerOptions = {
    marks: isRaw ? null : reasoning,
    startsInReasoning: prompt.startsInReasoning,
    stop,
    parser: parses ? format.parser(calls.tools, calls.hidden) : null,
    hidesCalls: calls.hidden,
    callIdPrefix,
    onlyCalls: toolChoice.mode === "required",
  };
  if (isRaw || format.promptEnd === "") return new Answer(options);
  return new Answer({
    ...options,
    begun: { promptEnd: format.promptEnd, textOpening: format.answerOpening },
  });
}
