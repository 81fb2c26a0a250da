import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../kit/folder.js";
import { runProgram } from "../kit/program.js";
import { startServer } from "../kit/server.js";
import { builtInModel } from "../kit/server/settings.js";

describe("hearth unload", () => {
  it("takes a model out of memory by name or alias, and says what was not there", async () => {
    const { client, data, port, app } = await startServer({ hasOwnEngine: true });
    await client.chat.completions.create({
      model: builtInModel,
      messages: [{ role: "user", content: "Hello" }],
      max_tokens: 2,
    });
    expect(app.engine.residents().map(({ id }) => id)).toEqual([builtInModel]);
    const environment = { HEARTH_DATA: data, HEARTH_PORT: String(port) };
    const unload = async (...names: string[]): Promise<readonly [unknown, string, string]> => {
      const run = runProgram(["unload", ...names], environment);
      return [await run.exited, run.stdout(), run.stderr()];
    };
    expect(await unload(builtInModel)).toEqual([0, `${builtInModel} is no longer in memory\n`, ""]);
    expect(app.engine.residents()).toEqual([]);
    const [code, out, error] = await unload("tiny", builtInModel);
    expect([code, out]).toEqual([1, `${builtInModel} was not in memory\n`]);
    expect(error).toMatch(/^hearth: .*'tiny'/);
  });

  it("reports that no server is running and exits with code 1", async () => {
    const run = runProgram(["unload", builtInModel], { HEARTH_DATA: temporaryFolder(), HEARTH_PORT: "9" });
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toContain("no server is running at");
  });
});
