import { describe, expect, it } from "vitest";
import { AnswerBuilder } from "../../../../src/engine/language/answer/answer.js";
import { formatFor, tool } from "./derived-formats.js";

const format = formatFor("a mark that prompts end with");

/** Reads an answer by characters. */
function read(
  written: string,
  hasTools = true,
): { readonly text: string; readonly calls: readonly string[] } {
  const answer = new AnswerBuilder({
    marks: null,
    startsInReasoning: false,
    stop: [],
    parser: hasTools ? format.parser([tool]) : null,
    callIdPrefix: "",
    begun: { promptEnd: format.promptEnd, textOpening: format.answerOpening },
  });
  const events = [
    ...[...written].flatMap((character) => answer.push(Buffer.from(character), null)),
    ...answer.finish(),
  ];
  const text = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
  const calls = events.flatMap((event) => (event.type === "tool-call-start" ? [event] : []));
  const argumentsOf = (index: number): string =>
    events
      .flatMap((event) =>
        event.type === "tool-call-delta" && event.index === index ? [event.arguments] : [],
      )
      .join("");
  return { text, calls: calls.map(({ name, index }) => `${name} ${argumentsOf(index)}`) };
}

const call = 'set_values\n{"count": 1}';

describe("an answer to a prompt that ends with the mark before a call", () => {
  it("is a call, a text, or a text and calls, without the marks", () => {
    expect(format.promptEnd).toBe(">>>");
    expect(read(call)).toEqual({ text: "", calls: ['set_values {"count": 1}'] });
    expect(read("everyone\nHello.")).toEqual({ text: "Hello.", calls: [] });
    expect(read(`everyone\nHello.>>>${call}`)).toEqual({
      text: "Hello.",
      calls: ['set_values {"count": 1}'],
    });
  });

  it("has no mark of the prompt where it is neither a text nor a call of a tool", () => {
    expect(read("Hello.")).toEqual({ text: "Hello.", calls: [] });
    expect(read("other\n{}")).toEqual({ text: "other\n{}", calls: [] });
    expect(read("", false)).toEqual({ text: "", calls: [] });
    expect(read("Hello.", false)).toEqual({ text: "Hello.", calls: [] });
    expect(read("everyone\n>>> 1 + 1", false)).toEqual({ text: ">>> 1 + 1", calls: [] });
  });

  it("starts a call only with a name on a line of its own", () => {
    const detect = (written: string): string | null => {
      const detector = format.createOpeningDetector();
      const found = [...written].map((character) => detector.push(character));
      return found.find((each) => each !== null) ?? null;
    };
    expect(detect(call)).toBe(">>>set_values\n");
    expect(detect("everyone\nIn Python:\n>>> 1 + 1\n>>>f(2)\n")).toBe(">>>everyone\n");
    expect(detect("In Python:\n>>> 1 + 1\n>>>f(2)\n")).toBeNull();
  });
});
