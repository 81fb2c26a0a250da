import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { type TestProcess, runProgram, startProcess } from "../../kit/program.js";
import { clientOf } from "../../kit/server/requests.js";

/** A model whose answers almost never end, so that a stream is still active when something happens to the server. */
const endless = "endless";
const question = [{ role: "user" as const, content: "Hello!" }];

/** Creates the models folder: the end of an answer is one of 20,000 equally likely tokens. */
async function modelsFolder(): Promise<string> {
  const folder = temporaryFolder();
  await writeVerifiedModel(folder, endless, { contextLength: 8192, vocabularySize: 20_000 });
  return folder;
}

/** Returns the child processes of a process, read from `ps`. */
function childrenOf(pid: number): readonly number[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([child, parent]) => child !== undefined && parent === pid)
    .map(([child = 0]) => child);
}

function serverOf(run: TestProcess): number {
  const [server, ...others] = childrenOf(run.child.pid ?? 0);
  if (server === undefined || others.length > 0) throw new Error("a supervisor has one server");
  return server;
}

/** An ended process that was not reaped is still listed, with the state Z. */
function isAlive(pid: number): boolean {
  const all = execFileSync("ps", ["-A", "-o", "pid=,stat="], { encoding: "utf8" }).split("\n");
  return all.some((line) => new RegExp(`^ *${pid} +[^Z]`).test(line));
}

/** Returns the next URL that the process prints. */
function nextUrl(run: TestProcess): Promise<string> {
  return new Promise((resolve) => {
    if (run.child.stdout === null) return;
    createInterface({ input: run.child.stdout }).on("line", (line) => {
      const url = /^listening on (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** Streams an answer and calls `act` at its first chunk, text or not. @returns its finish reason. */
async function streamed(url: string, maxTokens: number, act: () => void): Promise<string | null> {
  const request = { model: endless, messages: question, max_tokens: maxTokens, ignore_eos: true };
  const stream = await clientOf(url).chat.completions.create({ ...request, stream: true });
  let [acted, finish] = [false, null as string | null];
  for await (const chunk of stream) {
    finish = chunk.choices[0]?.finish_reason ?? finish;
    if (!acted) act();
    acted = true;
  }
  return finish;
}

function states(data: string): readonly unknown[] {
  const database = new Database(join(data, "hearth.db"), { readonly: true });
  const rows = database.prepare("select state from runs order by start_time").pluck().all();
  database.close();
  return rows;
}

describe("hearth start", () => {
  it("F13: restarts the server on the same address after a crash in mid-stream and marks the run as interrupted", async () => {
    const data = join(temporaryFolder(), "data");
    const run = await startProcess({ HEARTH_DATA: data, HEARTH_MODELS: await modelsFolder() });
    const again = nextUrl(run);
    const first = serverOf(run);
    await expect(streamed(run.url, 4000, () => process.kill(first, "SIGABRT"))).rejects.toThrow();
    expect(await again).toBe(run.url);
    expect(serverOf(run)).not.toBe(first);
    expect(await streamed(run.url, 5, () => undefined)).not.toBeNull();
    expect(states(data)).toEqual(["interrupted", "completed"]);
    expect(run.stderr()).toContain("hearth: the server crashed (SIGABRT); restarting in 0.5 s\n");
    run.child.kill("SIGTERM");
    expect(await run.exited).toBe(0);
  });

  it("F22: restarts the server after an uncaught error", async () => {
    const plant = 'process.on("SIGUSR2", () => setImmediate(() => { throw new RangeError("planted"); }));';
    const run = await startProcess({
      HEARTH_DATA: join(temporaryFolder(), "data"),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(plant)}`,
    });
    const again = nextUrl(run);
    process.kill(serverOf(run), "SIGUSR2");
    expect(await again).toBe(run.url);
    expect(run.stderr()).toContain("hearth: the server crashed (exit code 1); restarting in 0.5 s\n");
    run.child.kill("SIGTERM");
    expect(await run.exited).toBe(0);
  });

  it("prints the first key once, even if the server crashes and is restarted", async () => {
    const data = join(temporaryFolder(), "data");
    const run = await startProcess({ HEARTH_DATA: data, HEARTH_API_KEY: "" });
    const key = readFileSync(join(data, "first-key"), "utf8").trim();
    const again = nextUrl(run);
    process.kill(serverOf(run), "SIGKILL");
    const models = clientOf(await again, key).models.list();
    await expect(models).resolves.toBeDefined();
    expect(run.stdout().split(key)).toHaveLength(2);
  });

  it("F12: ends the server when the supervisor is killed, so that a new start on the same data folder works at once", async () => {
    const environment = { HEARTH_DATA: join(temporaryFolder(), "data"), HEARTH_MODELS: await modelsFolder() };
    const first = await startProcess(environment);
    const server = serverOf(first);
    let second: Promise<TestProcess> | null = null;
    const cut = streamed(first.url, 4000, () => {
      first.child.kill("SIGKILL");
      second = startProcess(environment);
    });
    await expect(cut).rejects.toThrow();
    const { url } = await (second ?? startProcess(environment));
    expect(await streamed(url, 5, () => undefined)).not.toBeNull();
    expect(await first.exited).toBe("SIGKILL");
    expect(isAlive(server)).toBe(false);
  });

  it("counts a terminal's Ctrl-C, which reaches both processes, once: the active answer is completed", async () => {
    const run = await startProcess({ HEARTH_MODELS: await modelsFolder() });
    const server = serverOf(run);
    const finish = await streamed(run.url, 200, () => {
      process.kill(server, "SIGINT");
      run.child.kill("SIGINT");
      process.kill(server, "SIGINT");
    });
    expect(finish).not.toBeNull();
    expect(await run.exited).toBe(0);
    expect(isAlive(server)).toBe(false);
  });

  it("ends at once at the second signal, with exit code 1 and without a remaining server", async () => {
    const run = await startProcess({ HEARTH_MODELS: await modelsFolder() });
    const server = serverOf(run);
    const cut = streamed(run.url, 8000, () => {
      run.child.kill("SIGTERM");
      run.child.kill("SIGINT");
    });
    await expect(cut).rejects.toThrow();
    expect(await run.exited).toBe(1);
    expect(isAlive(server)).toBe(false);
    expect(run.stderr()).not.toContain("restarting in");
  });

  it("stopped before its server listens, exits with code 0", async () => {
    const run = runProgram(["start"], {
      HEARTH_PORT: "0",
      HEARTH_DATA: join(temporaryFolder(), "data"),
    });
    await expect.poll(() => childrenOf(run.child.pid ?? 0).length, { timeout: 20_000 }).toBe(1);
    run.child.kill("SIGTERM");
    expect(await run.exited).toBe(0);
  });

  it("stopped while it waits to restart the server, exits with code 0", async () => {
    const run = await startProcess();
    const dying = new Promise<void>((resolve) => {
      run.child.stderr?.on("data", (text: Buffer) => {
        if (text.toString().includes("restarting in")) resolve();
      });
    });
    process.kill(serverOf(run), "SIGSEGV");
    await dying;
    run.child.kill("SIGINT");
    expect(await run.exited).toBe(0);
  });
});

it("C10: kills a server that does not stop in the time that it reported, whatever hangs in it", async () => {
  const server = join(temporaryFolder(), "server.mjs");
  writeFileSync(
    server,
    'process.on("SIGTERM", () => undefined); process.send({ port: 1, stopMsMax: 50 }, () => { console.log("serving"); for (const end = Date.now() + 20_000; Date.now() < end; ); process.exit(); });',
  );
  const supervise = pathToFileURL(join(root, "dist/cli/server/supervise.js")).href;
  // A file: the supervisor starts its server with its own options of Node, such as --eval.
  const supervisor = join(temporaryFolder(), "supervisor.mjs");
  writeFileSync(
    supervisor,
    `import { supervise } from ${JSON.stringify(supervise)};
    process.exit(await supervise(${JSON.stringify(server)}, []));`,
  );
  const child = spawn(process.execPath, [supervisor], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [exited, closed] = [once(child, "exit"), once(child, "close")];
  let errors = "";
  child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect((await exited)[0]).toBe(1);
  await closed;
  expect(errors).toBe("hearth: the server did not stop within 0.05 s and is killed\n");
});

it("imports only Node's own modules, the check of open files, the restart policy and the writer of texts in the supervisor process", () => {
  const met = new Set<string>();
  const sources: string[] = [];
  const visit = (file: string): void => {
    if (met.has(file)) return;
    met.add(file);
    const built = join(root, "dist", file);
    const map = JSON.parse(readFileSync(`${built}.map`, "utf8")) as { readonly sources: readonly string[] };
    sources.push(...map.sources.map((source) => relative(root, join(dirname(built), source))));
    for (const [, from = ""] of readFileSync(built, "utf8").matchAll(
      /(?<=^|;)(?:import|export)\b[^;(]*?"([^"]+)";/gm,
    )) {
      if (from.startsWith(".")) visit(join(dirname(file), from));
      else expect(builtinModules).toContain(from.replace("node:", ""));
    }
  };
  visit("main.js");
  expect(sources.toSorted()).toEqual([
    "src/cli/server/open-files.ts",
    "src/cli/server/restart-policy.ts",
    "src/cli/server/supervise.ts",
    "src/cli/terminal.ts",
    "src/main.ts",
  ]);
});
