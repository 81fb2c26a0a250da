import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../kit/setup/random-cases.js";
import { eventsOf, joined, readAnswer } from "../../../kit/engine/tool-answers.js";
import { formatFor, names, tool, turnOf } from "./derived-formats.js";
import { styles } from "./styles.js";

/** Text that is no mark of any style. */
const word = fc.string({ unit: fc.constantFrom(..."abcXYZ 0159.,:;!?-_äß天🙂\"'\\\n\t#&"), maxLength: 12 });
const scalar = fc.oneof(word, fc.integer({ min: -1e9, max: 1e9 }), fc.boolean(), fc.constant(null));
const inner = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,6}$/),
  fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
  {
    maxKeys: 3,
    noNullPrototype: true,
  },
);
const given = fc.record(
  {
    text: word,
    count: fc.integer({ min: -1e6, max: 1e6 }),
    on: fc.boolean(),
    list: fc.array(fc.oneof(scalar, inner), { maxLength: 3 }),
    object: inner,
  },
  { requiredKeys: [], noNullPrototype: true },
);

describe("the format of calls that is derived from a template", () => {
  it.each(names)("writes calls as the template does: %s", (name) => {
    expect(formatFor(name).example).toBe(styles[name]?.example);
  });

  it.each(names)("reads every call that the template writes, whole and in pieces: %s", async (name) => {
    await fc.assert(
      fc.asyncProperty(given, async (values) => {
        const turn = await turnOf(name, [values]);
        const read = readAnswer(formatFor(name), turn, [tool]);
        expect({ turn, ...read }).toEqual({
          turn,
          text: "",
          reasoning: "",
          calls: [{ name: tool.name, arguments: values }],
          broken: [],
        });
        const whole = joined(eventsOf(formatFor(name), [turn], [tool]));
        expect(joined(eventsOf(formatFor(name), [...turn], [tool]))).toEqual(whole);
      }),
      { numRuns: casesOf(60) },
    );
  });

  it.each(names)("reads a text of code: %s", async (name) => {
    const values = { text: "def f(x):\n    return {'k': [x, \"y\"]}, g('a', \"b\")\n", count: 2 };
    const read = readAnswer(formatFor(name), await turnOf(name, [values]), [tool]);
    expect(read).toMatchObject({ text: "", calls: [{ name: tool.name, arguments: values }] });
  });

  // One template writes one call in a turn.
  const severalAtOnce = names.filter((name) => name !== "one object that is the whole answer");
  it.each(severalAtOnce)("reads several calls: %s", async (name) => {
    const values = [{ text: "a", count: 1 }, {}, { text: "", list: [{ a: [] }] }];
    const turn = await turnOf(name, values);
    const read = readAnswer(formatFor(name), turn, [tool]);
    expect(read.text).toBe("");
    expect(read.calls.map((call) => call.arguments)).toEqual(values);
  });
});
