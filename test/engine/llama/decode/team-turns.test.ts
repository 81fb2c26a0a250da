import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Pace } from "../../../../src/engine/llama/decode/pace.js";
import { TeamTurns } from "../../../../src/engine/llama/decode/team-turns.js";
import { casesOf } from "../../../kit/setup/random-cases.js";

interface Member {
  readonly teamId: string;
  readonly nth: number;
}

function team(teamId: string, size: number): readonly Member[] {
  return Array.from({ length: size }, (_, nth) => ({ teamId, nth }));
}

/** Runs ticks on a machine where a step of so many sequences takes `msOf`, and returns what each team got. */
function run(members: readonly Member[], msOf: (sequences: number) => number, ticks = 240) {
  const turns = new TeamTurns();
  const tokens = new Map<string, number>();
  let elapsedMs = 0;
  for (let tick = 0; tick < ticks; tick += 1) {
    const stepping = turns.choose(members);
    for (const { teamId } of stepping) tokens.set(teamId, (tokens.get(teamId) ?? 0) + 1);
    const ms = msOf(stepping.length);
    elapsedMs += ms;
    turns.record(stepping.length, ms);
  }
  return { tokensOf: (teamId: string) => tokens.get(teamId) ?? 0, elapsedMs };
}

/** A CPU: each further sequence costs half of the first. */
const onCpu = (sequences: number): number => 10 + 6 * (sequences - 1);

describe("the turns of teams", () => {
  it("a team with one answer is slowed down by a team with four to 1.6 times at most", () => {
    const { tokensOf, elapsedMs } = run([...team("flood", 4), ...team("light", 1)], onCpu);
    expect(elapsedMs / tokensOf("light")).toBeLessThan(onCpu(1) * 1.65);
  });

  it("the larger team never gets fewer tokens than the smaller, however much a batch costs", () => {
    const { tokensOf } = run([...team("flood", 4), ...team("light", 1)], (sequences) => sequences ** 4);
    expect(tokensOf("flood")).toBeGreaterThanOrEqual(tokensOf("light"));
  });

  it("all step in every tick where a larger batch takes no longer, as on a GPU", () => {
    const { tokensOf } = run([...team("flood", 4), ...team("light", 1)], () => 10);
    expect(tokensOf("light")).toBe(240);
    // The smaller team is measured alone once.
    expect(tokensOf("flood")).toBeGreaterThan(4 * 235);
  });

  it("one team alone, and teams of one size, step in every tick", () => {
    for (const members of [team("a", 5), [...team("a", 2), ...team("b", 2)]])
      expect(run(members, onCpu).tokensOf("a")).toBe(240 * (members.length === 5 ? 5 : 2));
  });

  it("keep the order of the slots, step somebody in every tick, and everybody again and again", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 12 }),
        fc.double({ min: 0, max: 3, noNaN: true }),
        (teams, power) => {
          const members = teams.map((each, nth) => ({ teamId: String(each), nth }));
          const turns = new TeamTurns();
          const seen = new Set<number>();
          for (let tick = 0; tick < 60; tick += 1) {
            const stepping = turns.choose(members);
            expect(stepping.length).toBeGreaterThan(0);
            expect(stepping.map(({ nth }) => nth)).toEqual(
              stepping.map(({ nth }) => nth).sort((a, b) => a - b),
            );
            for (const { nth } of stepping) seen.add(nth);
            turns.record(stepping.length, stepping.length ** power);
          }
          expect(seen.size).toBe(members.length);
        },
      ),
      { numRuns: casesOf(300) },
    );
  });
});

describe("the work of a tick", () => {
  const limits = { chunks: { fixed: 128, besideAnswersMax: 256, idleMax: 512 }, tokenGapMsMax: 500 };
  const member = (job: number, teamId: string, mode: "prefill" | "decode") => ({
    job,
    teamId,
    mode,
    deterministic: false,
  });
  const answers = [1, 2, 3, 4].map((job) => member(job, "flood", "decode"));
  const light = member(5, "light", "decode");

  /** A pace that has measured that a batch of five takes three times as long as one token. */
  function measured(): Pace {
    const pace = new Pace(limits);
    pace.record({ decoding: 5, drafted: 0, promptTokens: 0, ms: 30 });
    pace.record({ decoding: 1, drafted: 0, promptTokens: 0, ms: 10 });
    return pace;
  }

  it("evaluates no prompt of a larger team while that team pauses", () => {
    const pace = measured();
    const running = [...answers, light, member(6, "flood", "prefill")];
    const work = pace.next(running);
    expect(work).toMatchObject({ stepping: [light], prefilling: [] });
    const all = [1, 2, 3].map(() => pace.next(running)).find(({ stepping }) => stepping.length === 5);
    expect(all?.prefilling.map(({ job }) => job)).toEqual([6]);
  });

  it("pauses nobody while the prompt of a smaller team is evaluated", () => {
    const pace = measured();
    const prompt = member(6, "light", "prefill");
    expect(pace.next([...answers, light, prompt])).toMatchObject({
      stepping: [...answers, light],
      prefilling: [prompt],
    });
  });
});
