import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  eventsOf,
  cuts,
  familyNames,
  format,
  joined,
  readAnswer,
  transcripts,
} from "../../../kit/engine/tool-answers.js";

describe.each(familyNames)("answers of the family %s", (family) => {
  const cases = transcripts(family);

  it.each(cases.map((each) => [each.name, each] as const))("are read: %s", (_, transcript) => {
    const { text, reasoning = "", calls } = transcript;
    expect(readAnswer(format(family), transcript.answer)).toEqual({ text, reasoning, calls, broken: [] });
  });

  it("give the same events however they are split", () => {
    const of = format(family);
    for (const { answer } of cases) {
      const whole = joined(eventsOf(of, [answer]));
      expect(joined(eventsOf(of, [...answer]))).toEqual(whole);
      fc.assert(
        fc.property(cuts(answer), (pieces) => {
          expect(joined(eventsOf(of, pieces))).toEqual(whole);
        }),
        { numRuns: 40 },
      );
    }
  });

  it("give the same events where a name is too long before a call, however they are split", () => {
    const of = format(family);
    const opening = of.openings[0]?.pieces.join("") ?? "";
    for (const length of [250, 268, 600]) {
      const answer = `${opening}${"x".repeat(length)}${cases[0]?.answer ?? ""}`;
      expect(joined(eventsOf(of, [...answer]))).toEqual(joined(eventsOf(of, [answer])));
    }
  });

  it("lose no text around their calls, except white space next to a call", () => {
    const of = format(family);
    const { answer } = cases[0] ?? { answer: "" };
    const plain = fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !/[<[{`｜|]/.test(text));
    fc.assert(
      fc.property(plain, (before) => {
        const said = readAnswer(of, `.${before}.${answer}`);
        expect(said.text.startsWith(`.${before}.`)).toBe(true);
        expect(readAnswer(of, `  ${before}`).text).toBe(`  ${before}`);
      }),
      { numRuns: 60 },
    );
  });
});
