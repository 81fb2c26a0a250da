import { join } from "node:path";
import { expect, it } from "vitest";
import { writeModel } from "../../gguf-writer.js";
import { temporaryFolder } from "../../harness.js";
import { jobOf, residentWithEightSlots, slots, startLoop } from "./lockstep.js";

const rounds = 30;

/** Prompts of 1 to 7 tokens, different in every round. */
function promptIn(round: number, place: number): number[] {
  const count = Math.max(1, 7 - place);
  return Array.from({ length: count }, (_, at) => 10 + ((round * 7919 + place * 104_729 + at * 31) % 80));
}

it("prompts of different lengths that end in one batch each get their own first token, never another prompt's", async () => {
  const folder = temporaryFolder();
  // A larger vocabulary makes the reordering of a batch slower, and a read during it more likely.
  await writeModel(join(folder, "random.gguf"), { contextLength: 512, vocabularySize: 30_000 });
  const resident = await residentWithEightSlots(folder);
  const { loop, done } = startLoop();
  let jobs = 0;
  const ask = (round: number, place: number): number => {
    const job = ++jobs;
    // Another team, so that no prefix is cached.
    loop.submit(resident, job, jobOf(promptIn(round, place), 4, { teamId: `team-${job}` }));
    return job;
  };
  const textOf = async (job: number): Promise<string> => (await done(job)).text;
  const places = Array.from({ length: slots }, (_, place) => place);
  for (let round = 0; round < rounds; round++) {
    const together = await Promise.all(places.map((place) => ask(round, place)).map(textOf));
    const alone: string[] = [];
    for (const place of places) alone.push(await textOf(ask(round, place)));
    expect(together).toEqual(alone);
  }
});
