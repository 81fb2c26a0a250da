import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnswerRules } from "../../../../src/core/engine.js";
import type { SeededJob } from "../../../../src/engine/language/seeded-job.js";
import type { Resident } from "../../../../src/engine/llama/load/resident.js";
import { schemaRules } from "../../../../src/grammar/convert.js";
import { RuleSet } from "../../../../src/grammar/gbnf.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { casesOf } from "../../../kit/setup/random-cases.js";
import { expectSameUpToRounding } from "../../../kit/rounding.js";
import { recordBatches, type BatchItem } from "../batches.js";
import { compared, jobOf, promptOf, residentWithEightSlots, startLoop, type Outcome } from "../lockstep.js";

function rulesOf(schema: unknown): AnswerRules {
  const rules = new RuleSet({ prefix: "r" });
  const { root } = schemaRules(schema, { additionalProperties: false }, rules);
  return { rules: rules.entries(), text: root, toolArguments: [] };
}

const value = fc.constantFrom(
  { type: "boolean" },
  { type: "integer", minimum: 0, maximum: 99 },
  { type: "string", maxLength: 4 },
  { enum: ["waiting", "walking", "done"] },
  {
    type: "array",
    items: { type: "object", properties: { id: { type: "boolean" } }, required: ["id"] },
    maxItems: 3,
  },
);
const key = fc.constantFrom("name", "quantity", "delivery_address", "is_ready", "état");

/** Objects with a few keys, some of which may be left out. */
const schemas = fc
  .dictionary(key, value, { minKeys: 1, maxKeys: 4 })
  .chain((properties) =>
    fc
      .subarray(Object.keys(properties), { minLength: 1 })
      .map((required) => ({ type: "object", properties, required })),
  );

const drafting = { forcedTokens: "on", promptLookup: "auto" } as const;
const plain = { forcedTokens: "off", promptLookup: "off" } as const;

/** Loads the same model with drafts and without. */
async function bothWays() {
  const folder = temporaryFolder();
  const [on, off] = [
    await residentWithEightSlots(folder, {}, drafting),
    await residentWithEightSlots(folder, {}, plain),
  ];
  const { loop, done } = startLoop();
  let jobs = 0;
  const ask = (resident: Resident, kind: number, changes: Partial<SeededJob>): Promise<Outcome> => {
    const job = ++jobs;
    loop.submit(
      resident,
      job,
      jobOf(promptOf(kind, 8), 40, { teamId: `team-${kind}`, reasoningTokensMax: 0, ...changes }),
    );
    return done(job);
  };
  return { on, off, ask };
}

/** Batches that only decode: no part of a prompt. */
function decodes(batches: readonly BatchItem[][]): readonly BatchItem[][] {
  return batches.filter((batch) => batch.every(({ tokens, rows }) => tokens === rows));
}

describe("drafts", () => {
  it("change no log probability beyond rounding, for any schema, and need fewer evaluations", async () => {
    const { on, off, ask } = await bothWays();
    const batches = { on: recordBatches(on), off: recordBatches(off) };
    await fc.assert(
      fc.asyncProperty(schemas, fc.integer({ min: 0, max: 30 }), async (schema, kind) => {
        const job = { ...compared, rules: rulesOf(schema) };
        const [one, other] = [await ask(on, kind, job), await ask(off, kind, job)];
        expectSameUpToRounding(one.logprobs, other.logprobs);
      }),
      { numRuns: casesOf(160) },
    );
    expect(decodes(batches.off).every((batch) => batch.every(({ tokens }) => tokens === 1))).toBe(true);
    expect(decodes(batches.on).length).toBeLessThan(decodes(batches.off).length);
  });

  it("leave the random numbers of a seed in step: the same answers but for the few that rounding changes", async () => {
    const { on, off, ask } = await bothWays();
    let [same, all] = [0, 0];
    const penalties = fc.constantFrom(0, 0.5);
    await fc.assert(
      fc.asyncProperty(schemas, fc.nat(1000), penalties, async (schema, seed, frequencyPenalty) => {
        const sampling = { ...jobOf([], 1).sampling, temperature: 1, topP: 0.95, frequencyPenalty };
        const job = { sampling, seed, rules: rulesOf(schema) };
        const [one, other] = [await ask(on, seed % 30, job), await ask(off, seed % 30, job)];
        expect(one.error ?? other.error).toBeNull();
        if (one.text === other.text && one.tokens === other.tokens) same += 1;
        all += 1;
      }),
      { numRuns: casesOf(320) },
    );
    expect(same / all).toBeGreaterThan(0.85);
  });

  it("of several answers in one batch change none of them, also beside answers without a schema", async () => {
    const { on, off, ask } = await bothWays();
    const rules = rulesOf({
      type: "object",
      properties: { quantity: { type: "integer" } },
      required: ["quantity"],
    });
    const jobs = [0, 1, 2, 3, 4].map((kind) => ({ ...compared, ...(kind === 3 ? {} : { rules }) }));
    const together = await Promise.all(jobs.map((job, kind) => ask(on, kind, job)));
    for (const [kind, job] of jobs.entries())
      expectSameUpToRounding(together[kind]?.logprobs ?? [], (await ask(off, kind, job)).logprobs);
  });

  it("find what an answer repeats: text without a schema needs fewer evaluations, and is the same", async () => {
    const { on, off, ask } = await bothWays();
    const batches = recordBatches(on);
    // A bias that makes the random model repeat itself.
    const logitBias = { ...compared.sampling.logitBias, "70": 40, "71": 39.9 };
    const job = { ...compared, sampling: { ...compared.sampling, logitBias }, maxTokens: 120 };
    const one = await ask(on, 1, job);
    expect(one.tokens).toBe(120);
    expect(decodes(batches).length).toBeLessThan(60);
    expectSameUpToRounding(one.logprobs, (await ask(off, 1, job)).logprobs);
  });

  it("end exactly at the maximum of tokens, wherever that is in a forced text", async () => {
    const { on, ask } = await bothWays();
    const text = "The quick brown fox jumps over the lazy dog.";
    const rules = rulesOf({ const: text });
    for (let maxTokens = 1; maxTokens <= 24; maxTokens += 1) {
      const answer = await ask(on, 1, { rules, maxTokens });
      expect(JSON.stringify(text).startsWith(answer.text)).toBe(true);
      expect(answer.tokens).toBeLessThanOrEqual(maxTokens);
      if (answer.text !== JSON.stringify(text)) expect(answer.tokens).toBe(maxTokens);
    }
  });

  it("end at a stop text within a forced text", async () => {
    const { on, ask } = await bothWays();
    const rules = rulesOf({ const: "The quick brown fox jumps over the lazy dog." });
    // The second time, the tokens of the text are known from the first.
    for (let time = 0; time < 2; time += 1)
      expect((await ask(on, 1, { rules, stop: ["fox"], maxTokens: 120 })).text).toBe('"The quick brown ');
  });

  it("are not made for deterministic answers", async () => {
    const { on, ask } = await bothWays();
    const batches = recordBatches(on);
    const rules = rulesOf({ const: "The quick brown fox jumps over the lazy dog." });
    expect((await ask(on, 1, { rules, deterministic: true })).error).toBeNull();
    expect(decodes(batches).length).toBeGreaterThan(5);
    expect(batches.flat().every(({ rows }) => rows <= 1)).toBe(true);
  });

  it("are made of the tokens that the same team's answer had for the text before", async () => {
    const { on, ask } = await bothWays();
    const batches = recordBatches(on);
    const job = { rules: rulesOf({ const: "The quick brown fox jumps over the lazy dog." }), maxTokens: 120 };
    const first = await ask(on, 1, job);
    expect(first.finished).toBe(true);
    const evaluations = batches.splice(0).length;
    const second = await ask(on, 1, job);
    expect(second.text).toBe(first.text);
    expect(batches.length).toBeLessThan(evaluations);
  });
});
