import { describe, expect, it } from "vitest";
import { familyNames, format, transcripts } from "../../../kit/engine/tool-answers.js";

/** Returns what the detector finds in an answer that is split into pieces of one length. */
function told(family: string, answer: string, size: number): string | null {
  const watch = format(family).createOpeningDetector();
  for (let at = 0; at < answer.length; at += size) {
    const begun = watch.push(answer.slice(at, at + size));
    if (begun !== null) return begun;
  }
  return null;
}

describe("the detector of a call's opening", () => {
  it.each(familyNames)(
    "of the family %s finds every call and where it begins, however the text is split",
    (family) => {
      for (const { answer, calls } of transcripts(family)) {
        if (calls.length === 0) continue;
        for (let size = 1; size <= 12; size++) {
          const begun = told(family, answer, size);
          expect({ answer, begun: begun !== null && answer.trimStart().includes(begun) }).toEqual({
            answer,
            begun: true,
          });
        }
      }
    },
  );

  it("finds nothing in an answer without a call", () => {
    for (const family of familyNames)
      expect(told(family, "A plain <b>answer</b> { [ ` and an end.", 3)).toBeNull();
    expect(told("llama", '{"nam": 1}', 1)).toBeNull();
    expect(told("llama", 'Well: {"name": "get_time"}', 1)).toBeNull();
    expect(told("harmony", "<|channel|>analysis<|message|>to=functions.x<|end|>", 2)).toBeNull();
  });

  it("reports only the first call", () => {
    const watch = format("hermes").createOpeningDetector();
    expect(watch.push("a <tool_call>\n")).toBe("<tool_call>\n");
    expect(watch.push("<tool_call>")).toBeNull();
  });
});
