import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { openPuller } from "../../../src/app/models/pulls.js";
import { openModelOperator } from "../../../src/app/operator/open.js";
import { operatorOpener } from "../../../src/cli/command-helpers.js";
import { loadConfig } from "../../../src/config/config.js";
import { addPullCommand } from "../../../src/cli/models/pull.js";
import { judgeBytes } from "../../../src/doctor/model-fit.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import { sha256Of, type TestHub } from "../../kit/doubles/hub/hub.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { ggufOf } from "../../models/hub/pulling.js";
import { casesOf } from "../../kit/setup/random-cases.js";

const mebibyte = 1024 * 1024;
const model = "acme/tiny/tiny-Q4_K_M.gguf";
const bytes = ggufOf(24 * mebibyte);
/** How often a pull is killed: 8 times, in the nightly run 20. */
const killsWanted = Math.max(5, casesOf(20));
/** Time for 21 to 60 starts of the program on a busy machine. */
const killsMsMax = 300_000;

/** Runs `hearth pull` as a process. */
function pull(hub: TestHub, models: string, ...words: readonly string[]) {
  const environment = { HF_ENDPOINT: hub.url, HEARTH_MODELS: models, HOME: models };
  return runProgram(["pull", ...words], environment);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
}

describe("hearth pull", () => {
  it("without a terminal prints a line for each tenth, and at the end the name for hearth run", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": bytes });
    hub.behaviour.bytesPerSecond = 30 * mebibyte;
    const models = temporaryFolder();
    const run = pull(hub, models, "acme/tiny");
    expect([await run.exited, run.stderr()]).toEqual([0, ""]);
    const lines = run.stdout().trimEnd().split("\n");
    expect(lines[0]).toBe("finding the files");
    expect(lines.at(-1)).toBe(
      "pulled tiny-q4_k_m (chat, 25.2 MB, licence apache-2.0); chat with it: hearth run tiny-q4_k_m",
    );
    const shares = lines.filter((line) => line.startsWith("downloading"));
    expect(shares.length).toBeGreaterThan(5);
    expect(shares.length).toBeLessThanOrEqual(11);
    expect(shares.at(-1)).toMatch(
      /^downloading acme\/tiny\/tiny-Q4_K_M\.gguf {2}\d+ % {2}[\d.]+ MB of 25\.2 MB/,
    );
    expect(filesIn(models)).toEqual(["acme/tiny/.source.json", model]);
  });

  it("warns before the end of the download when the model needs more memory than models may take", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": bytes });
    const environment = { HF_ENDPOINT: hub.url, HEARTH_MODELS: temporaryFolder() };
    const run = runProgram(["pull", "acme/tiny"], { ...environment, HEARTH_MEMORY_BYTES_MAX: "20000000" });
    expect(await run.exited).toBe(0);
    expect(run.stderr()).toBe(
      "hearth: warning: the model needs about 31.5 MB of memory, and models may take 20.0 MB here (memoryBytesMax); " +
        "a smaller quantization may fit\n",
    );
  });

  it("--json prints each event as a line, and the model with the last", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": bytes });
    const run = pull(hub, temporaryFolder(), "--json", "acme/tiny");
    expect(await run.exited).toBe(0);
    const events = run
      .stdout()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { phase: string });
    expect(new Set(events.map(({ phase }) => phase))).toEqual(
      new Set(["resolving", "downloading", "verifying", "done"]),
    );
    expect(events.at(-1)).toMatchObject({
      phase: "done",
      id: "tiny-q4_k_m",
      files: [{ path: model, sha256: sha256Of(bytes) }],
    });
  });

  it("on a terminal rewrites one line with a bar, the rate and the time left", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": bytes });
    hub.behaviour.bytesPerSecond = 30 * mebibyte;
    const models = temporaryFolder();
    let printed = "";
    const out = { write: (text: string) => (printed += text), isTTY: true, columns: 100 };
    const program = new Command("hearth").exitOverride();
    const config = { ...loadConfig({}).config, models, data: models };
    addPullCommand(program, {
      openPuller: () => openPuller(config, { HF_ENDPOINT: hub.url }, true),
      using: operatorOpener(() => openModelOperator(config)),
      out,
      err: { write: () => undefined },
      reportFit: (size) => judgeBytes(config, size),
      onInterrupt: () => () => undefined,
    });
    await program.parseAsync(["pull", "acme/tiny"], { from: "user" });
    const lines = printed.split("\r\u001b[K");
    expect(
      lines.some((line) => /^tiny-Q4_K_M\.gguf {2}\[#+-+\] {3}\d\d % {2}.* MB\/s {2}0:\d\d left$/.test(line)),
    ).toBe(true);
    expect(Math.max(...lines.slice(0, -1).map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(printed).toMatch(/100 % {2}25\.2 MB of 25\.2 MB\npulled tiny-q4_k_m /);
  });

  it("exits with 2 for a name that cannot be pulled, and with 1 for a model that does not exist", async () => {
    const hub = await startHub({});
    const wrong = pull(hub, temporaryFolder(), "a/b/c/d");
    expect([await wrong.exited, wrong.stderr()]).toEqual([
      2,
      "hearth: 'a/b/c/d' cannot be pulled: a file of a repository must be a .gguf file.\n",
    ]);
    const none = pull(hub, temporaryFolder(), "nobody/none");
    expect([await none.exited, none.stderr()]).toEqual([
      1,
      `hearth: ${new URL(hub.url).host} has no repository nobody/none (404).\n`,
    ]);
  });

  it("reports a model that the engine cannot load, which stays", async () => {
    const other = Buffer.from(ggufOf(mebibyte).toString("latin1").replace("qwen3", "qwenX"), "latin1");
    const hub = await startHub({ "m.gguf": other });
    const models = temporaryFolder();
    const run = pull(hub, models, "acme/tiny");
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toMatch(
      /^hearth: the model was downloaded, but the engine cannot load it: 'm\.gguf'/,
    );
    expect(filesIn(models)).toContain("acme/tiny/m.gguf");
  });

  it("stops at Ctrl-C, says what is kept, and goes on from there", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": bytes });
    hub.behaviour.bytesPerSecond = 20 * mebibyte;
    const models = temporaryFolder();
    const run = pull(hub, models, "acme/tiny");
    await run.line(/^downloading .* ([34]\d) %/);
    run.child.kill("SIGINT");
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toMatch(
      /^hearth: stopped; [\d.]+ MB of [\d.]+ MB are kept, and `hearth pull acme\/tiny` goes on from there\n$/,
    );
    hub.sent.bytes = 0;
    expect(await pull(hub, models, "acme/tiny").exited).toBe(0);
    expect(hub.sent.bytes).toBeLessThan(18 * mebibyte);
  });

  it("C7: twice at the same time downloads the file once", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": bytes });
    hub.behaviour.bytesPerSecond = 15 * mebibyte;
    const models = temporaryFolder();
    const runs = [pull(hub, models, "acme/tiny"), pull(hub, models, "acme/tiny:q4_k_m")];
    expect(await Promise.all(runs.map(({ exited }) => exited))).toEqual([0, 0]);
    expect(hub.sent.bytes).toBeLessThan(bytes.length + 100);
    expect(filesIn(models)).toEqual(["acme/tiny/.source.json", model]);
  });
});

/** Kills the pull after so many bytes were sent; with null, some milliseconds after it began to verify. */
async function killed(
  hub: TestHub,
  models: string,
  afterBytes: number | null,
  afterMs: number,
): Promise<boolean> {
  const at = hub.sent.bytes + (afterBytes ?? Number.POSITIVE_INFINITY);
  const run = pull(hub, models, "--json", "acme/tiny");
  const kill = (): void => void run.child.kill("SIGKILL");
  const watch = setInterval(() => {
    if (hub.sent.bytes >= at) kill();
  }, 1);
  if (afterBytes === null) void run.line(/^(.*"verifying".*)$/).then(() => setTimeout(kill, afterMs));
  const end = await run.exited;
  clearInterval(watch);
  return end === "SIGKILL";
}

it(
  "C7: a pull that is killed again and again at random points ends with the right bytes and nothing else",
  async () => {
    const hub = await startHub({});
    const models = temporaryFolder();
    let state = 20_261_123;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    let content = ggufOf(18 * mebibyte);
    let kills = 0;
    for (let round = 0; kills < killsWanted && round < 3 * killsWanted; round += 1) {
      hub.files.set("tiny-Q4_K_M.gguf", content);
      const isWhileSending = random(3) > 0;
      hub.behaviour.bytesPerSecond = isWhileSending ? 40 * mebibyte : 0;
      if (await killed(hub, models, isWhileSending ? random(8 * mebibyte) : null, random(60))) kills += 1;
      // What was finished is published anew, so that the next round has something to do.
      else content = ggufOf(18 * mebibyte, round + 2);
    }
    hub.files.set("tiny-Q4_K_M.gguf", content);
    hub.behaviour.bytesPerSecond = 0;
    expect(await pull(hub, models, "acme/tiny").exited).toBe(0);
    expect(kills).toBe(killsWanted);
    expect(sha256Of(readFileSync(join(models, model)))).toBe(sha256Of(content));
    expect(filesIn(models)).toEqual(["acme/tiny/.source.json", model]);
  },
  killsMsMax,
);
