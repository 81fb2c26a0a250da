import { utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../kit/program.js";
import { commandEnvironment } from "./environment.js";

describe("hearth ls", () => {
  it("lists the models with size, kind, context, aliases and age, and why one cannot be used", async () => {
    const { gguf, write, hearth } = commandEnvironment();
    const path = gguf("models/org/repo/Zeta-Q4_0.gguf");
    utimesSync(path, new Date("2026-11-19T12:00:00Z"), new Date("2026-11-19T12:00:00Z"));
    write("models/broken.gguf", "no GGUF");
    const lines = (await hearth("ls")).split("\n");
    expect(lines[0]).toMatch(/^NAME +SIZE +KIND +CONTEXT +ALIASES +MODIFIED$/);
    expect(lines.find((line) => line.startsWith("zeta"))).toMatch(
      /^zeta-q4_0 +132 kB +chat +2048 +Zeta-Q4_0, org\/repo:Q4_0, org\/repo, org\/repo\/Zeta-Q4_0 +2 days ago$/,
    );
    expect(lines.find((line) => line.startsWith("hearth-painter"))).toMatch(/ image +- +hearth-painter /);
    expect(lines).toContain(
      "broken cannot be used: its file 'broken.gguf' is refused: it has 7 bytes, too few for a GGUF file.",
    );
  });

  it("prints an array of objects with ids for --json", async () => {
    const { gguf, write, json } = commandEnvironment();
    gguf("models/zeta.gguf");
    write("models/broken.gguf", "no GGUF");
    const all = await json<readonly { readonly id: string }[]>("ls");
    expect(all.find(({ id }) => id === "zeta")).toMatchObject({
      kind: "chat",
      contextTokens: 2048,
      trainedTokens: 2048,
      unusable: null,
    });
    expect(all.find(({ id }) => id === "broken")).toMatchObject({
      unusable: "its file 'broken.gguf' is refused: it has 7 bytes, too few for a GGUF file.",
    });
  });
});

describe("the program", () => {
  it.each([
    ["serve", "start"],
    ["lsx", "ls"],
    ["remove", "rm"],
    ["status", "ps"],
  ])("exits with code 2 for the unknown command %s and suggests %s", async (other, name) => {
    const run = runProgram([other, "--some", "words"], {});
    expect(await run.exited).toBe(2);
    expect(run.stderr()).toContain(`error: unknown command '${other}'\n(Did you mean ${name}?)\n`);
  });

  it("changes a setting that the next command sees; errors of values exit with code 2, unknown models with 1", async () => {
    const { gguf, environment } = commandEnvironment();
    gguf("models/zeta.gguf");
    const run = async (...words: string[]) => {
      const { exited, stdout, stderr } = runProgram(words, environment);
      return { code: await exited, stdout: stdout(), stderr: stderr() };
    };
    expect(await run("set", "zeta", "context=512")).toMatchObject({ code: 0, stdout: "context: 512\n" });
    expect((await run("ls")).stdout).toMatch(/^zeta +\d+ kB +chat +512 /m);
    expect(await run("set", "zeta", "context=no")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("context: ") as unknown,
    });
    expect(await run("show", "zetta")).toMatchObject({
      code: 1,
      stderr: "hearth: There is no model 'zetta'. Did you mean zeta?\n",
    });
  });
});
