import { describe, expect, it } from "vitest";
import type { AnswerRules } from "../../../../src/core/engine.js";
import { stacksMax } from "../../../../src/engine/language/answer/grammar-bounds.js";
import type { SeededJob } from "../../../../src/engine/language/seeded-job.js";
import { literal } from "../../../../src/grammar/gbnf.js";
import type { ModelSpec } from "../../../kit/models/gguf-writer.js";
import { isNightly } from "../../../kit/sizes.js";
import { compared, grammarMsMax, jobOf, promptOf, residentWithEightSlots, startLoop } from "../lockstep.js";

function rulesOf(rules: Readonly<Record<string, string>>): AnswerRules {
  return { rules: new Map(Object.entries(rules)), text: "root0", toolArguments: [] };
}

const alternatives = (count: number, form: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => form(nth)).join(" | ");

/** Grammars whose alternatives are told apart behind a member of the same kind; none has a value that ends. */
const exploding: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "closed objects": {
    root0: "e",
    e: alternatives(
      3,
      (nth) => `${literal('{"left":')} e ${literal(`,"op":"${nth}","right":`)} e ${literal("}")}`,
    ),
  },
  "objects with white space": {
    root0: "e",
    e: alternatives(4, (nth) => `${literal('{"left":')} w e w ${literal(`,"op":"${nth}"}`)}`),
    w: '" "?',
  },
  tuples: { root0: "e", e: alternatives(3, (nth) => `"[" e ${literal(`,${nth}]`)}`) },
  "several rules, one within another": {
    root0: "e",
    e: "x | y",
    x: alternatives(2, (nth) => `"[" y ${literal(`,${nth}]`)}`),
    y: alternatives(2, (nth) => `"[" e ${literal(`,${nth}]`)}`),
  },
};

async function startModel(changes: Partial<ModelSpec> = {}) {
  const resident = await residentWithEightSlots(undefined, changes);
  const { loop, done } = startLoop();
  let jobs = 0;
  return (changesOfJob: Partial<SeededJob>) => {
    loop.submit(resident, ++jobs, jobOf(promptOf(jobs, 8), 200, { reasoningTokensMax: 0, ...changesOfJob }));
    return done(jobs);
  };
}

const tooWide =
  /^The schema allows too many ways to read the text at '(\/left|\/0)(\/left|\/0)*' of the answer: /;

const withCandidates = { "without log probabilities": {}, "with log probabilities": compared };
/** Every grammar, and both ways; the nightly run has every grammar in both ways. */
const explosions = Object.entries(exploding).flatMap(([grammar, rules], index) =>
  Object.entries(withCandidates)
    .filter((_, way) => isNightly(process.env) || way !== index % 2)
    .map(([way, sampling]) => [grammar, way, rules, sampling] as const),
);

describe.each(explosions)(
  "D13: an answer whose grammar explodes: %s, %s",
  (_grammar, _way, rules, sampling) => {
    it("ends with the place in the answer, and those beside it go on", async () => {
      const ask = await startModel();
      const beside = ask({ sampling: compared.sampling });
      const { error } = await ask({ rules: rulesOf(rules), ...sampling });
      expect(error).toMatch(tooWide);
      expect(await beside).toMatchObject({ error: null, finished: true });
      expect(await ask({ rules: rulesOf({ root0: '"{}"' }) })).toMatchObject({ text: "{}", error: null });
    });
  },
);

it("D13: the arguments of a tool call are bounded, too, and the error says so", async () => {
  const ask = await startModel();
  const { error } = await ask({
    tools: [{ name: "calculate", parameters: { type: "object" } }],
    toolChoice: { mode: "required", names: null, parallel: false },
    rules: {
      rules: new Map(Object.entries(exploding["closed objects"] ?? {})),
      text: null,
      toolArguments: ["e"],
    },
  });
  expect(error).toMatch(
    /^The tool's schema allows too many ways to read the text at '\/(?:arguments|parameters)(\/left)+' of the call: /,
  );
});

it("D13: a grammar that is too wide at its beginning never reaches the library", async () => {
  const ask = await startModel();
  const wide = rulesOf({ root0: alternatives(stacksMax + 1, (nth) => literal(`"${nth}"`)) });
  const { error, text } = await ask({ rules: wide });
  expect([error, text]).toEqual([
    expect.stringMatching(/too many ways .* at the beginning of the answer/),
    "",
  ]);
  const narrower = rulesOf({ root0: alternatives(stacksMax - 1, (nth) => literal(`"${nth}"`)) });
  expect(await ask({ rules: narrower })).toMatchObject({ error: null });
});

const isBounded = grammarMsMax !== null;

describe.runIf(isBounded)(
  `the CPU time of a grammar for one token${isBounded ? "" : " (not run: no library)"}`,
  () => {
    it("D13: ends an answer whose few stacks explode within one token of the vocabulary", async () => {
      const ask = await startModel({ words: ["[".repeat(24)] });
      const rules = rulesOf({ root0: "e", e: alternatives(30, (nth) => `"[" e ${literal(`,${nth}]`)}`) });
      for (const changes of [{}, compared]) {
        const { error } = await ask({ rules, ...changes });
        expect(error).toMatch(/^The schema allows too many ways to read the text at /);
      }
      expect(await ask({ rules: rulesOf({ root0: '"{}"' }) })).toMatchObject({ text: "{}", error: null });
    });
  },
);
