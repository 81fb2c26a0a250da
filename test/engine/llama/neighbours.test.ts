import { join } from "node:path";
import { it } from "vitest";
import { tokenTypes } from "../../../src/engine/language/prompt/token-bytes.js";
import { randomModelWords, writeModel, type ModelSpec } from "../../kit/models/gguf-writer.js";
import { buildVocabulary } from "../../kit/models/gguf-writer/vocabulary.js";
import { temporaryFolder } from "../../kit/folder.js";
import { expectSameUpToRounding } from "../../kit/rounding.js";
import { compared, jobOf, residentWithEightSlots, slots, startLoop, type Outcome } from "./lockstep.js";

const rounds = 30;

/**
 * The larger the vocabulary, the longer it takes to put the rows of a batch in order, and the likelier a read during that. All
 * tokens are text: of other tokens no log probabilities are reported.
 */
function largeVocabulary(): Partial<ModelSpec> {
  const vocabularySize = 30_000;
  const { types } = buildVocabulary(randomModelWords, vocabularySize);
  const values = types.map((type) => (type === tokenTypes.unused ? tokenTypes.normal : type));
  const metadata = { "tokenizer.ggml.token_type": { aggregateArrays: "i32", values } } as const;
  return { contextLength: 512, vocabularySize, metadata };
}

/** Prompts of 1 to 7 tokens, different in every round. */
function promptIn(round: number, place: number): number[] {
  const count = Math.max(1, 7 - place);
  return Array.from({ length: count }, (_, at) => 10 + ((round * 7919 + place * 104_729 + at * 31) % 80));
}

it("prompts of different lengths that end in one batch each get their own first token, never another prompt's", async () => {
  const folder = temporaryFolder();
  await writeModel(join(folder, "random.gguf"), largeVocabulary());
  const resident = await residentWithEightSlots(folder);
  const { loop, done } = startLoop();
  let jobs = 0;
  const ask = (round: number, place: number): number => {
    const job = ++jobs;
    // Another team, so that no prefix is cached.
    loop.submit(resident, job, jobOf(promptIn(round, place), 4, { ...compared, teamId: `team-${job}` }));
    return job;
  };
  const places = Array.from({ length: slots }, (_, place) => place);
  for (let round = 0; round < rounds; round++) {
    const together = await Promise.all(places.map((place) => ask(round, place)).map(done));
    const alone: Outcome[] = [];
    for (const place of places) alone.push(await done(ask(round, place)));
    for (const [place, { logprobs }] of together.entries())
      expectSameUpToRounding(logprobs, alone[place]?.logprobs ?? []);
  }
});
