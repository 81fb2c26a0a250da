import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { Model } from "../../../src/core/model.js";
import { createGgufTrials } from "../../../src/engine/llama/smoke-load.js";
import { trialLimitMs } from "../../../src/engine/trial/trial.js";
import { loadRegistry } from "../../../src/models/registry.js";
import { writeModel, type ModelSpec } from "../../kit/models/gguf-writer.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { runProgram, startProcess } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel } from "../../kit/server/settings.js";

const compiled = pathToFileURL(join(root, "dist/engine/llama/smoke.js"));
const settings = {
  cores: 1,
  threads: 1,
  nativeFolder: null,
  keepsThreads: false,
  imageTokensMax: null,
  threadPlansFile: null,
  slotsPerModel: 4,
  contextTokensMax: 8192,
  prefillChunkTokens: 128,
  tokenGapMsMax: 500,
  prefixCacheFolder: null,
  prefixCacheBytesMax: 0,
  prefixMemoryBytesMax: 0,
  kvCacheType: "f16",
  flashAttention: "auto",
  forcedTokens: "on",
  promptLookup: "auto",
  gpu: "off",
} as const;

/** A file that passes every check of its header and crashes llama.cpp when it computes the second layer. */
const deadly: Partial<ModelSpec> = {
  metadata: { "qwen3.attention.head_count_kv": { aggregateArrays: "u32", values: [1, 2] } },
};
const hello = [{ role: "user" as const, content: "Hello!" }];

/** Writes a file into a models folder, and returns the model of the registry. */
async function dropIn(folder: string, changes: Partial<ModelSpec> = {}): Promise<Model> {
  await writeModel(join(folder, "dropped.gguf"), changes);
  const model = (await loadRegistry({ folders: [folder], contextTokensMax: 8192 })).find("dropped");
  if (model === null) throw new Error("not found");
  return model;
}

/** Creates a trial with the given entry (a one-line program, or the real one), and collects its log. */
function smokeLoad(folder: string, program: string | null = null, limitMs: number | null = null) {
  const entry = join(folder, "entry.mjs");
  if (program !== null) writeFileSync(entry, `process.once("message", ({ model }) => { ${program} });`);
  const said: string[] = [];
  const passedFile = join(folder, "loaded-models.json");
  const log = (message: string): void => void said.push(message);
  const { model: smoke } = createGgufTrials({
    entry: program === null ? compiled : pathToFileURL(entry),
    settings,
    passedFile,
    log,
    ...(limitMs === null ? {} : { limitMs: () => limitMs }),
  });
  return { smoke, passedFile, said };
}

/** Returns a program that passes every model, and the number of its runs as so many letters. */
function countingProgram({ path }: Model) {
  const count = `(await import("node:fs")).appendFileSync(model.path + ".tried", "x"); process.exit(0);`;
  return {
    program: `void (async () => { ${count} })();`,
    tried: (): string => readFileSync(`${path}.tried`, "utf8"),
  };
}

describe("a trial load in a child process", () => {
  it("passes a valid model and stores the result in a file that only its owner can read", async () => {
    const folder = temporaryFolder();
    const { smoke, passedFile, said } = smokeLoad(folder);
    expect(await smoke(await dropIn(folder))).toBeNull();
    expect(said).toEqual([]);
    expect(statSync(passedFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(passedFile, "utf8")).not.toContain(folder);
  });

  it("C1: rejects a file that passes its checks but crashes the process that loads it, and logs the native output", async () => {
    const folder = temporaryFolder();
    const model = await dropIn(folder, deadly);
    expect(model.unusable).toBeNull();
    const { smoke, passedFile, said } = smokeLoad(folder);
    expect(await smoke(model)).toBe("loading it ends the process (SIGABRT).");
    expect(said.join()).toContain("GGML_ASSERT");
    expect(existsSync(passedFile)).toBe(false);
  });

  it("C1: rejects a file that the library rejects, with its reason and without the path", async () => {
    const folder = temporaryFolder();
    const model = await dropIn(folder, {
      metadata: { "tokenizer.ggml.pre": { type: "string", value: "no" } },
    });
    expect(model.unusable).toBeNull();
    const { smoke, said } = smokeLoad(folder);
    const reason = await smoke(model);
    expect(reason).toBe("error loading model vocabulary: unknown pre-tokenizer type: 'no'.");
    expect(said.join()).toContain(reason);
    expect(reason).not.toContain(folder);
  });

  it("tries a file once, also after a restart, until it changes", async () => {
    const folder = temporaryFolder();
    const model = await dropIn(folder);
    const { program, tried } = countingProgram(model);
    const { smoke } = smokeLoad(folder, program);
    expect([await smoke(model), await smoke(model), tried()]).toEqual([null, null, "x"]);
    expect([await smokeLoad(folder, program).smoke(model), tried()]).toEqual([null, "x"]);
    utimesSync(model.path, 1, 1);
    expect([await smokeLoad(folder, program).smoke(model), tried()]).toEqual([null, "xx"]);
  });

  it("tries a file again with other settings, and when an adapter has changed", async () => {
    const folder = temporaryFolder();
    const plain = await dropIn(folder);
    const { program, tried } = countingProgram(plain);
    const { smoke } = smokeLoad(folder, program);
    const path = join(folder, "adapter");
    writeFileSync(path, "1");
    const adapter = { path, bytes: 1, modifiedTime: 1, scale: 1 };
    const loads = [
      { template: "{{ 1 }}" },
      { gpuLayers: 1 },
      { kvCacheType: "q8_0" } as const,
      { adapters: [adapter] },
      { adapters: [{ ...adapter, scale: 2 }] },
    ];
    for (const load of loads) for (const _again of [1, 2]) await smoke({ ...plain, load });
    expect(tried()).toHaveLength(loads.length);
    const verified = { ...plain.manifest, sha256: "0".repeat(64) };
    const keptLonger = { adapters: [adapter], keepAliveMs: 1 };
    await smoke({ ...plain, load: keptLonger });
    expect(tried()).toHaveLength(loads.length);
    utimesSync(path, 1, 1);
    await smoke({ ...plain, load: { adapters: [adapter] }, manifest: verified });
    expect(tried()).toHaveLength(loads.length + 1);
  });

  it("tries a file again that failed, and treats a damaged file of results as empty", async () => {
    const folder = temporaryFolder();
    const model = await dropIn(folder);
    appendFileSync(join(folder, "loaded-models.json"), "{");
    expect(await smokeLoad(folder, "process.exit(3);").smoke(model)).toBe(
      "loading it ends the process (exit code 3).",
    );
    expect(await smokeLoad(folder, "process.exit(0);").smoke(model)).toBeNull();
  });

  it("ends a trial that takes too long; larger files have more time", async () => {
    const folder = temporaryFolder();
    const model = await dropIn(folder);
    const reason = await smokeLoad(folder, "setInterval(() => undefined, 1000);", 1000).smoke(model);
    expect(reason).toBe("loading it takes more than 1 s.");
    expect([trialLimitMs(0), trialLimitMs(10e9)]).toEqual([120_000, 520_000]);
  });

  it("stores the last thousand files that passed", async () => {
    const folder = temporaryFolder();
    const { smoke, passedFile } = smokeLoad(folder, "process.exit(0);");
    const old = Array.from({ length: 1000 }, (_, nth) => `digest ${nth}`);
    writeFileSync(passedFile, JSON.stringify(old));
    await smoke(await dropIn(folder));
    const kept = JSON.parse(readFileSync(passedFile, "utf8")) as string[];
    expect(kept).toHaveLength(1000);
    expect(kept.slice(0, -1)).toEqual(old.slice(1));
  });

  it("does not try a model whose manifest has a SHA-256", async () => {
    const folder = temporaryFolder();
    const model = await dropIn(folder);
    const vouched = { ...model, manifest: { ...model.manifest, sha256: "0".repeat(64) } };
    expect(await smokeLoad(folder, "process.abort();").smoke(vouched)).toBeNull();
  });
});

describe("a server with a model file that crashes the process", () => {
  it("C1: answers 503 with the reason, and other requests continue", async () => {
    const folder = temporaryFolder();
    await dropIn(folder, deadly);
    const { client } = await startServer({ environment: { HEARTH_MODELS: folder } });
    const asked = client.chat.completions.create({ model: "dropped", messages: hello });
    const neighbour = client.chat.completions.create({ model: builtInModel, messages: hello, max_tokens: 5 });
    await expect(asked).rejects.toMatchObject({
      status: 503,
      // Where the libraries are compiled, the assertion is an error of the trial's process.
      message: expect.stringMatching(
        /The model 'dropped' cannot be used: (loading it ends the process \(SIGABRT\)|[\w.-]+:\d+: GGML_ASSERT\()/,
      ) as string,
    });
    expect((await neighbour).usage?.completion_tokens).toBeGreaterThan(0);
  });

  it("answers 503 with the library's own reason, which hearth doctor prints, too, both without paths", async () => {
    const folder = temporaryFolder();
    await dropIn(folder, { metadata: { "tokenizer.ggml.pre": { type: "string", value: "no" } } });
    const reason = "error loading model vocabulary: unknown pre-tokenizer type: 'no'.";
    const { client } = await startServer({ environment: { HEARTH_MODELS: folder } });
    await expect(client.chat.completions.create({ model: "dropped", messages: hello })).rejects.toMatchObject(
      {
        status: 503,
        message: expect.stringContaining(`The model 'dropped' cannot be used: ${reason}`) as string,
      },
    );
    const doctor = runProgram(["doctor"], { HEARTH_MODELS: folder, HEARTH_DATA: temporaryFolder() });
    expect(await doctor.exited).toBe(1);
    expect(doctor.stdout()).toContain(`failed   model dropped: unusable: ${reason}\n`);
  });

  it("can stop during a trial, which then ends too", async () => {
    const folder = temporaryFolder();
    await dropIn(folder);
    const run = await startProcess({ HEARTH_MODELS: folder, HEARTH_SHUTDOWN_GRACE_MS: "0" });
    const asked = clientOf(run.url).chat.completions.create({ model: "dropped", messages: hello });
    const refused = expect(asked).rejects.toThrow();
    const trials = (): readonly number[] => trialsOf(run.child.pid ?? 0);
    await expect.poll(trials, { interval: 20, timeout: 20_000 }).toHaveLength(1);
    const [trial = 0] = trials();
    run.child.kill("SIGTERM");
    expect(await run.exited).toBe(0);
    await refused;
    await expect.poll(() => listed().some(({ pid }) => pid === trial), { timeout: 20_000 }).toBe(false);
  });
});

/** Returns the trial processes of the server under test. */
function trialsOf(supervisor: number): readonly number[] {
  const all = listed();
  const servers = all.filter(({ parent }) => parent === supervisor).map(({ pid }) => pid);
  const trials = all.filter(
    ({ parent, args }) => servers.includes(parent) && args.includes("llama/smoke.js"),
  );
  return trials.map(({ pid }) => pid);
}

/** Returns all running processes, from `ps`. */
function listed() {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [pid, parent, state = "Z", ...args] = line.trim().split(/\s+/);
    return state.startsWith("Z") ? [] : [{ pid: Number(pid), parent: Number(parent), args: args.join(" ") }];
  });
}
