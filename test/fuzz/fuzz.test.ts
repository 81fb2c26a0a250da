import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCampaign, type CampaignResult } from "../../scripts/qa/fuzz/campaign.js";
import { fuzz } from "../../scripts/qa/fuzz/command.js";
import { targets } from "../../scripts/qa/fuzz/targets.js";
import { casesOf } from "../kit/setup/random-cases.js";

const planted = "test/fuzz/planted/target.ts";
/** Many times what guided fuzzing needs. */
const plantedInputs = 100_000;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hearth-fuzz-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function explorePlanted(isGuided: boolean): Promise<CampaignResult> {
  return runCampaign({ module: planted, seed: 1, inputs: plantedInputs, seconds: 600, isGuided });
}

/** Runs the command. @returns its exit code and what it printed */
async function command(...args: string[]): Promise<{ readonly code: number; readonly text: string }> {
  const lines: string[] = [];
  const code = await fuzz(args, (line) => lines.push(line));
  return { code, text: lines.join("\n") };
}

describe("whatever its input is", { timeout: 300_000 }, () => {
  it.each(Object.entries(targets))(
    "%s keeps its guarantee, in its kept corpus and beyond",
    async (_, target) => {
      const inputs = casesOf(4 * target.testInputs);
      const result = await runCampaign({ module: target.module, seed: 1, inputs, seconds: 600 });
      expect(result.failure, result.guarantee).toBeNull();
      expect(result.inputs).toBe(inputs);
      // Fewer when what a target calls has changed, so that every input is refused at once.
      expect(result.reached).toBeGreaterThan(result.blocks / 4);
      expect(result.kept).toBeGreaterThan(10);
    },
  );
});

describe("the kept corpus", () => {
  it("has inputs of targets only", () => {
    const names = Object.keys(targets);
    for (const folder of readdirSync(new URL("./corpus/", import.meta.url))) expect(names).toContain(folder);
  });
});

describe("coverage-guided fuzzing", { timeout: 300_000 }, () => {
  it("finds a bug behind conditions that as many blind inputs do not pass", async () => {
    const guided = await explorePlanted(true);
    expect(guided.failure?.message).toContain("the planted bug");
    expect(guided.failure?.smallest.length).toBe(4);
    expect((await explorePlanted(false)).failure).toBeNull();
  });

  it("tries the same inputs for the same seed", async () => {
    const [first, again] = [await explorePlanted(true), await explorePlanted(true)];
    expect(again.inputs).toBe(first.inputs);
    expect(again.failure?.input).toEqual(first.failure?.input);
  });

  it("prints a command that repeats the failure", async () => {
    const output = folder();
    const found = await command("--target", planted, "--inputs", String(plantedInputs), "--output", output);
    expect(found.code).toBe(1);
    const [, repeat = ""] = /repeat it: npm run fuzz -- (.+)/.exec(found.text) ?? [];
    const repeated = await command(...repeat.split(" "), "--output", output);
    expect(repeated.code).toBe(1);
    expect(repeated.text).toContain("the planted bug");
  });

  it("reports an input that does not end, and one that ends the process", async () => {
    const campaign = { module: "test/fuzz/planted/hang.ts", seed: 1, inputs: 1, seconds: 60, hangSeconds: 1 };
    const hung = await runCampaign({ ...campaign, input: Buffer.from("never") });
    expect(hung.failure?.message).toContain("did not end within 1 s");
    expect(Buffer.from(hung.failure?.input ?? []).toString()).toBe("never");
    const ended = await runCampaign({ ...campaign, input: Buffer.from("x") });
    expect(ended.failure?.message).toContain("the process ended with SIGABRT");
  });

  it("holds for an input that was written by hand, and rejects what it does not know", async () => {
    const input = join(folder(), "input");
    writeFileSync(input, "abc");
    expect((await command("--target", planted, "--input", input)).code).toBe(0);
    expect(readFileSync(input, "utf8")).toBe("abc");
    expect(await command("--target", "nothing")).toMatchObject({ code: 2 });
    expect(await command("--minutes", "0")).toMatchObject({ code: 2 });
  });
});
