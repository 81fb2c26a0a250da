import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { root, temporaryFolder } from "../../kit/folder.js";
import { runProgram, startProcess } from "../../kit/program.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { strictTemplate } from "../../engine/language/prompt/strict-template.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";

const shell = promisify(execFile);
const story = [{ role: "user" as const, content: "Tell me a long story." }];

/** A folder with a copy of the built-in model, its weights changed by `change`. */
function modelsFolder(change: (weights: Buffer) => Buffer): string {
  const folder = join(temporaryFolder(), "models");
  const from = join(root, "models", builtInModel);
  const manifest = readFileSync(join(from, "manifest.json"), "utf8");
  const { file } = JSON.parse(manifest) as { file: string };
  mkdirSync(join(folder, builtInModel), { recursive: true });
  writeFileSync(join(folder, builtInModel, "manifest.json"), manifest);
  writeFileSync(join(folder, builtInModel, file), change(readFileSync(join(from, file))));
  return folder;
}

describe("hearth start", () => {
  it("C3: starts with a truncated GGUF, counts it in its greeting, lists it in doctor only, and answers 503 with the reason", async () => {
    const models = modelsFolder((weights) => weights.subarray(0, weights.length / 2));
    const server = await startProcess({ HEARTH_MODELS: models });
    const client = clientOf(server.url);
    const error = await client.chat.completions
      .create({ model: builtInModel, temperature: 0, messages: story })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 503 });
    expect((error as Error).message).toMatch(/truncated/);
    expect(server.stdout()).toMatch(/^1 model cannot be used: `hearth doctor` says why$/m);
    const listed = await client.models.list();
    expect(listed.data.map(({ id }) => id)).not.toContain(builtInModel);
    const doctor = runProgram(["doctor"], { HEARTH_MODELS: models, HEARTH_DATA: temporaryFolder() });
    expect(await doctor.exited).toBe(1);
    expect(doctor.stdout()).toMatch(/failed {3}model hearth-tiny-5m: unusable: .*truncated/);
  });

  it("C3: answers 503 for weights of the right size that do not match the manifest", async () => {
    const models = modelsFolder((weights) => Buffer.from(weights).fill(0, weights.length - 4096));
    const server = await startProcess({ HEARTH_MODELS: models });
    const asked = clientOf(server.url).chat.completions.create({
      model: builtInModel,
      temperature: 0,
      messages: story,
    });
    await expect(asked).rejects.toMatchObject({ status: 503 });
  });
});

describe("hearth start fails with exit code 1 and one clear sentence when", () => {
  it("the port is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = String(typeof address === "object" && address !== null ? address.port : 0);
    const run = runProgram(["start"], { HEARTH_PORT: port, HEARTH_DATA: temporaryFolder() });
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toContain(`127.0.0.1:${port}`);
    expect(run.stderr()).toContain("in use");
    taken.close();
  });

  it("the data folder cannot be created", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const run = runProgram(["start"], { HEARTH_PORT: "0", HEARTH_DATA: join(file, "data") });
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toMatch(/^hearth: .*data folder.*ENOTDIR/m);
  });

  it("the data folder is read-only", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o500);
    // The superuser may write anyway; but not into the kernel's own tree.
    const data = process.getuid?.() === 0 ? "/sys/hearth" : folder;
    const run = runProgram(["start"], { HEARTH_PORT: "0", HEARTH_DATA: data });
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toMatch(new RegExp(`^hearth: .*${data}`, "m"));
    expect(existsSync(join(data, "hearth.db"))).toBe(false);
  });

  it.runIf(process.platform === "linux")("it may open 64 files only", async () => {
    const command = `ulimit -n 64; exec "${process.execPath}" dist/main.js start`;
    const failed = await shell("sh", ["-c", command], { cwd: root }).then(
      () => null,
      (error: unknown) => error as { code: number; stderr: string },
    );
    expect(failed?.code).toBe(1);
    expect(failed?.stderr).toMatch(
      /^hearth: this process may open 64 files at a time, and Hearth needs at least 256\./,
    );
    expect(failed?.stderr.trim().split("\n")).toHaveLength(1);
  });

  it("another server uses the data folder", async () => {
    const data = join(temporaryFolder(), "data");
    await startProcess({ HEARTH_DATA: data });
    const run = runProgram(["start"], { HEARTH_PORT: "0", HEARTH_DATA: data });
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toMatch(/another Hearth server \(pid \d+, http:\S+\) is using the data folder/);
  });
});

describe("hearth exits with code 2 for", () => {
  const cases: readonly [string, NodeJS.ProcessEnv, readonly string[], RegExp][] = [
    [
      "a folder of models that does not exist",
      { HEARTH_MODELS: "/nowhere/models" },
      ["start"],
      /^hearth: models \(set by HEARTH_MODELS\): \/nowhere\/models does not exist$/m,
    ],
    [
      "E15: a public address without a proxy",
      { HEARTH_HOST: "0.0.0.0" },
      ["start"],
      /0\.0\.0\.0 can be reached from other machines/,
    ],
    ["a port that is none", { HEARTH_PORT: "http" }, ["start"], /port \(set by HEARTH_PORT\)/],
    [
      "a key that is too short",
      { HEARTH_API_KEY: "short" },
      ["start"],
      /apiKey \(set by HEARTH_API_KEY\): .*16 characters/,
    ],
    [
      "a variable it does not know",
      { HEARTH_PROT: "1" },
      ["start"],
      /unknown environment variable HEARTH_PROT/,
    ],
    [
      "a configuration file that is not there",
      { HEARTH_CONFIG: "/nowhere.yaml" },
      ["start"],
      /cannot read the configuration file/,
    ],
    ["a command it does not know", {}, ["sttart"], /unknown command 'sttart'/],
    ["an option it does not know", {}, ["keys", "ls", "--jsn"], /unknown option '--jsn'/],
  ];
  it.each(cases)("%s", async (_, environment, args, message) => {
    const run = runProgram(args, { HEARTH_DATA: temporaryFolder(), ...environment });
    expect(await run.exited).toBe(2);
    expect(run.stderr()).toMatch(message);
    expect(run.stderr()).not.toMatch(/^\s+at /m);
  });
});

describe("the commands next to a running server", () => {
  it("keys: one made here works at the next request, one removed here does not", async () => {
    const data = join(temporaryFolder(), "data");
    const environment = { HEARTH_DATA: data, HEARTH_API_KEY: testKey };
    const server = await startProcess(environment);
    const create = runProgram(["keys", "create", "--name", "laptop", "--json"], environment);
    expect(await create.exited).toBe(0);
    const made = JSON.parse(create.stdout()) as { apiKey: string; apiKeyId: string };
    await expect(clientOf(server.url, made.apiKey).models.list()).resolves.toBeDefined();
    expect(await runProgram(["keys", "rm", made.apiKeyId], environment).exited).toBe(0);
    await expect(clientOf(server.url, made.apiKey).models.list()).rejects.toMatchObject({ status: 401 });
  });

  it("run: prints an answer to a prompt, from the running server or from one of its own", async () => {
    const environment = { HEARTH_DATA: join(temporaryFolder(), "data"), HEARTH_API_KEY: testKey };
    const own = runProgram(["run", builtInModel, "Hello!"], { ...environment, HEARTH_PORT: "0" });
    own.child.stdin?.end();
    expect(await own.exited).toBe(0);
    expect(own.stdout().trim()).not.toBe("");

    const server = await startProcess(environment);
    const beside = runProgram(["run"], { ...environment, HEARTH_PORT: new URL(server.url).port });
    beside.child.stdin?.end("Hello!\n");
    expect(await beside.exited).toBe(0);
    expect(beside.stdout().trim()).not.toBe("");
  });

  it("run: reports a model that does not exist, with exit code 1", async () => {
    const run = runProgram(["run", "gpt-x", "Hello!"], {
      HEARTH_DATA: join(temporaryFolder(), "data"),
      HEARTH_PORT: "0",
      HEARTH_API_KEY: testKey,
    });
    run.child.stdin?.end();
    expect(await run.exited).toBe(1);
    expect(run.stderr()).toContain("The model 'gpt-x' does not exist");
  });

  it("doctor: prints every setting with its source, never a key, and the repairs of strict chat templates", async () => {
    const models = temporaryFolder();
    await writeVerifiedModel(models, "strict", { chatTemplate: strictTemplate({ system: true }) });
    const doctor = runProgram(["doctor", "--json"], {
      HEARTH_DATA: temporaryFolder(),
      HEARTH_MODELS: models,
      HEARTH_API_KEY: testKey,
    });
    expect(await doctor.exited).toBe(0);
    const { settings } = JSON.parse(doctor.stdout()) as {
      settings: { name: string; value: string; source: string }[];
    };
    expect(doctor.stdout()).toMatch(/"model strict",\n.*\n.*, strict chat template: system-folded"/);
    expect(settings.find((row) => row.name === "apiKey")).toMatchObject({
      value: "set",
      source: "HEARTH_API_KEY",
    });
    expect(settings.find((row) => row.name === "port")).toMatchObject({ value: "4280", source: "default" });
    expect(doctor.stdout()).not.toContain(testKey);
  });
});
