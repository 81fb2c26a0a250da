import type { GenerationEvent } from "../../../src/core/generation.js";

/** Returns the events of an answer that is one tool call, whose arguments arrive one character at a time. */
export function calling(name: string, args: object): readonly GenerationEvent[] {
  const pieces = [...JSON.stringify(args)].map((piece): GenerationEvent => ({
    type: "tool-call-delta",
    choice: 0,
    index: 0,
    arguments: piece,
    tokens: 1,
  }));
  return [
    { type: "tool-call-start", choice: 0, index: 0, id: "call_1", name, tokens: 1 },
    ...pieces,
    { type: "tool-call-end", choice: 0, index: 0, tokens: 0 },
    { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
  ];
}
