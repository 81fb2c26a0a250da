import { Command } from "commander";
import { describe, expect, it, vi } from "vitest";
import { addPsCommand } from "../../src/cli/ps.js";
import { loadConfig } from "../../src/config/config.js";
import type { ResidentModel } from "../../src/core/engine.js";
import { createScriptedEngine } from "../kit/scripted/engine.js";
import { createManualClock } from "../kit/manual-clock.js";
import { temporaryFolder } from "../kit/folder.js";
import { runProgram } from "../kit/program.js";
import { startServer } from "../kit/server.js";
import { builtInModel, testKey } from "../kit/server/settings.js";
import { gate, until } from "../kit/until.js";

const now = Date.UTC(2026, 10, 21, 12);

/** Returns the output of `hearth ps` for the server at a URL. */
async function ps(url: string, ...words: string[]): Promise<string> {
  let printed = "";
  const program = new Command("hearth").exitOverride();
  const environment = {
    HEARTH_PORT: new URL(url).port,
    HEARTH_API_KEY: testKey,
    HEARTH_DATA: temporaryFolder(),
  };
  const load = () => Promise.resolve(loadConfig(environment));
  const out = { write: (text: string) => (printed += text) };
  addPsCommand(program, load, { clock: createManualClock(now), out, err: { write: () => true } });
  await program.parseAsync(["ps", ...words], { from: "user" });
  return printed;
}

describe("hearth ps", () => {
  it("shows every model in memory and its used slots", async () => {
    const gateOfRun = gate();
    const engine = createScriptedEngine(() => ["Good", gateOfRun.opened]);
    const large: ResidentModel = {
      id: "zephyr-7b",
      bytes: 5_120_000_000,
      device: "cuda",
      contextTokens: 8192,
      slots: 4,
      loadedAt: now - 7_300_000,
      until: now + 250_000,
    };
    const small = {
      ...large,
      id: builtInModel,
      bytes: 18_200_001,
      device: "cpu",
      loadedAt: now,
      until: null,
    };
    vi.spyOn(engine, "residents").mockReturnValue([large, small]);
    const { url, client, app } = await startServer({ engine });
    const answer = client.chat.completions.create({
      model: builtInModel,
      messages: [{ role: "user", content: "Hello" }],
    });
    await until(() => app.scheduler.load.running === 1);
    expect(await ps(url)).toBe(
      [
        "NAME                SIZE   DEVICE   SLOTS   CONTEXT   LOADED        UNTIL",
        "hearth-tiny-5m   18.2 MB   cpu        1/4      8192   just now      in use",
        "zephyr-7b         5.1 GB   cuda       0/4      8192   2 hours ago   in 4 minutes",
        "",
      ].join("\n"),
    );
    expect(JSON.parse(await ps(url, "--json"))).toMatchObject([
      { id: builtInModel, slots_held: 1, until: null, loaded_at: "2026-11-21T12:00:00.000Z" },
      { id: "zephyr-7b", bytes: 5_120_000_000, until: "2026-11-21T12:04:10.000Z" },
    ]);
    gateOfRun.open();
    await answer;
  });

  it("prints only the header, or an empty JSON array, while no model is in memory", async () => {
    const { url } = await startServer({ engine: createScriptedEngine(() => ["Good"]) });
    expect(await ps(url)).toBe("NAME   SIZE   DEVICE   SLOTS   CONTEXT   LOADED   UNTIL\n");
    expect(JSON.parse(await ps(url, "--json"))).toEqual([]);
  });

  it("reports that no server is running and exits with code 1", async () => {
    const { url, app } = await startServer({ engine: createScriptedEngine(() => ["Good"]) });
    await app.close();
    const environment = { HEARTH_PORT: new URL(url).port, HEARTH_DATA: temporaryFolder() };
    const run = runProgram(["ps"], environment);
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toBe(`hearth: no server is running at ${url}; start one with \`hearth start\`\n`);
  });
});
