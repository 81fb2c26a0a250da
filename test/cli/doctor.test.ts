import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runProgram } from "../harness.js";
import { commandEnvironment } from "./models/environment.js";

it("says that a model has no price once a prepaid team exists, and creates no database to find out", async () => {
  const { gguf, environment, folder } = commandEnvironment();
  gguf("models/zeta.gguf");
  const doctor = async (): Promise<string> => {
    const run = runProgram(["doctor"], environment);
    expect(await run.exited).toBe(0);
    return run.stdout();
  };
  const before = await doctor();
  expect(before).not.toContain("no price");
  expect(before).toMatch(/ok {4}model zeta: \d\.\d MB, 2048 tokens of context, /);
  expect(existsSync(join(folder, "data/hearth.db"))).toBe(false);
  const team = runProgram(["teams", "create", "research"], environment);
  expect(await team.exited).toBe(0);
  const found = await doctor();
  expect(found).toMatch(/ok {4}model zeta: .*, no price: `hearth prices set`/);
  expect(found).not.toMatch(/model hearth-tiny-5m: .*no price/);
  const priced = runProgram(["prices", "set", "zeta", "--prompt", "1", "--completion", "1"], environment);
  expect(await priced.exited).toBe(0);
  expect(await doctor()).not.toContain("no price");
});
