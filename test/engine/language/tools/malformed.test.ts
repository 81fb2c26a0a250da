import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../../../src/core/generation.js";
import {
  eventsOf,
  cuts,
  familyNames,
  format,
  joined,
  readAnswer,
  tools,
  transcripts,
} from "../../../kit/engine/tool-answers.js";

/** Pieces of every family's markup and of JSON, for random texts. */
const fragments = [
  ...familyNames.flatMap((family) => format(family).marks),
  ...'{ } [ ] " \\ : , ; \n 1 null true \\u00 é 😀 get_time add name arguments parameters'.split(" "),
  '{"name": "get_time", "arguments": {"zone": "CET"}}',
  '{"zone":"',
  "get_time(zone='",
];
const soup = fc.array(fc.constantFrom(...fragments), { maxLength: 30 }).map((parts) => parts.join(""));
const inText = familyNames.filter((family) => family !== "harmony");

describe.each(familyNames)("malformed calls of the family %s", (family) => {
  const of = format(family);

  it("truncated anywhere, are an incomplete call or text, and never a call that was not written", () => {
    for (const { answer, calls } of transcripts(family)) {
      for (let end = 0; end <= answer.length; end++) {
        const events = joined(eventsOf(of, [answer.slice(0, end)]));
        const read = readAnswer(of, answer.slice(0, end));
        expect(calls.slice(0, read.calls.length)).toEqual(read.calls);
        const starts = events.filter(({ type }) => type === "call-start").length;
        const broken = events.filter((event) => event.type === "call-broken");
        expect(starts).toBe(read.calls.length + broken.length);
        expect(broken.every((event) => event.type === "call-broken" && event.cut)).toBe(true);
      }
    }
  });

  it("damaged anywhere, never become a call of an unknown tool or with arguments that are not a JSON object", () => {
    const answers = transcripts(family).map(({ answer }) => answer);
    const damage = fc.tuple(
      fc.constantFrom(...answers),
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom("", ...fragments),
    );
    fc.assert(
      fc.property(damage, ([answer, place, gone, put]) => {
        const at = place % (answer.length + 1);
        const { calls } = readAnswer(of, answer.slice(0, at) + put + answer.slice(at + gone));
        for (const { name } of calls) expect(tools.map((tool) => tool.name)).toContain(name);
      }),
      { numRuns: 300 },
    );
  });

  it("mixed at random, give the same events however they are split", () => {
    fc.assert(
      fc.property(
        soup.chain((text) => fc.tuple(fc.constant(text), cuts(text))),
        ([text, pieces]) => {
          expect(joined(eventsOf(of, pieces))).toEqual(joined(eventsOf(of, [text])));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("an answer", () => {
  it.each(inText)("without a call is emitted unchanged, whatever marks of %s it contains", (family) => {
    const of = format(family);
    fc.assert(
      fc.property(soup, (text) => {
        const events = joined(eventsOf(of, [text], []));
        expect(events).toEqual(text === "" ? [] : [{ type: "text", text }]);
      }),
      { numRuns: 200 },
    );
  });

  it.each(inText)("of %s emits its text and its broken calls in order and unchanged", (family) => {
    fc.assert(
      fc.property(soup, (text) => {
        let at = 0;
        for (const event of joined(eventsOf(format(family), [text]))) {
          if (event.type !== "text" && event.type !== "call-broken") continue;
          for (const part of event.text.split(/\s+/)) {
            const found = text.indexOf(part, at);
            expect(found).toBeGreaterThanOrEqual(at);
            at = found + part.length;
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("D10: with code as arguments is never executed", () => {
    const attacks = [
      "(()=>{globalThis.ran=1})()",
      "__import__('os')",
      "{toString(){globalThis.ran=1}}",
      "1+1",
    ];
    for (const family of familyNames)
      for (const { answer } of transcripts(family).slice(0, 1))
        for (const attack of attacks) {
          const { calls } = readAnswer(
            format(family),
            answer.replaceAll("CET", attack).replaceAll('"CET"', attack),
          );
          for (const call of calls.filter(({ name }) => name === "get_time"))
            expect(call.arguments).toEqual({ zone: attack });
        }
    for (const attack of attacks) {
      const python = "```tool_code\nget_time(zone=" + attack + ")\n```";
      expect(readAnswer(format("gemma"), python)).toEqual({
        text: python,
        reasoning: "",
        calls: [],
        broken: [],
      });
    }
    expect("ran" in globalThis).toBe(false);
  });

  it("with an argument named `__proto__` keeps it like any other", () => {
    const events = joined(
      eventsOf(format("qwen-coder"), [
        "<tool_call><function=get_time><parameter=__proto__>1</parameter></function></tool_call>",
      ]),
    );
    expect(events[1]).toEqual({ type: "call-delta", index: 0, arguments: '{"__proto__":1}' });
  });

  it("D8: calls tools whose names hold quotes, marks and any script", () => {
    const names = ['say "hi"\\', "</tool_call>", "天気", "a b", "{", "\u2028\n\t"];
    const odd: readonly Tool[] = names.map((name) => ({ name, parameters: { type: "object" } }));
    for (const name of names) {
      const answer = `<tool_call>\n${JSON.stringify({ name, arguments: { name } })}\n</tool_call>`;
      expect(readAnswer(format("hermes"), answer, odd).calls).toEqual([{ name, arguments: { name } }]);
    }
  });

  it("with a lone surrogate in a string keeps it unchanged", () => {
    const answer = '<tool_call>{"name": "get_time", "arguments": {"zone": "\\ud83d"}}</tool_call>';
    expect(readAnswer(format("hermes"), answer).calls).toEqual([
      { name: "get_time", arguments: { zone: "\ud83d" } },
    ]);
  });

  it("with extremely nested arguments is not a call", () => {
    const deep = `<tool_call>{"name": "add", "arguments": {"a": ${"[".repeat(9999)}${"]".repeat(9999)}}}</tool_call>`;
    const read = readAnswer(format("hermes"), deep);
    expect(read.calls).toEqual([]);
    expect(read.broken[0] ?? "").toMatch(/^<tool_call>/);
  });
});
