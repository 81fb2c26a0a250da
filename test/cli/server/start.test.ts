import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigError, loadConfig } from "../../../src/config/config.js";
import { isProcessAlive } from "../../../src/system/processes.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import { pinnedManagementKey, testKey } from "../../kit/server/settings.js";

/** Returns a port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

it("listens where --port and --host say, whatever the environment says, also in the supervised process", async () => {
  const port = await freePort();
  const environment = {
    HEARTH_PORT: "1",
    HEARTH_API_KEY: testKey,
    HEARTH_DATA: join(temporaryFolder(), "data"),
  };
  const run = runProgram(["start", "--port", String(port), "--host", "localhost"], environment);
  expect(await run.line(/^listening on (\S+)$/)).toBe(`http://localhost:${port}`);
  run.child.kill("SIGTERM");
  expect(await run.exited).toBe(0);
});

it("names the option that is wrong", () => {
  const load = (options: { host?: string; port?: string }) => () =>
    loadConfig({ HEARTH_PORT: "1" }, null, options);
  expect(load({ port: "70000" })).toThrow(/port \(set by --port\): /);
  expect(load({ host: "0.0.0.0" })).toThrow(/host \(set by --host\): 0\.0\.0\.0 can be reached/);
  expect(load({ port: "x" })).toThrow(ConfigError);
  expect(load({})().sources.port).toBe("HEARTH_PORT");
  expect(load({ port: "2" })()).toMatchObject({ config: { port: 2 }, sources: { port: "--port" } });
});

/** Starts a server and returns the lines that it has printed. */
async function printed(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const run = runProgram(["start"], { HEARTH_PORT: "0", ...environment });
  await run.line(/^https?:.*(\/console)/);
  run.child.kill("SIGTERM");
  expect(await run.exited).toBe(0);
  return run.stdout().trimEnd().split("\n");
}

describe("the greeting", () => {
  it("is three lines: the address, a key that is shown once, and a link on a line of its own, until somebody has signed in", async () => {
    const environment = { HEARTH_PORT: "0", HEARTH_DATA: join(temporaryFolder(), "data") };
    const first = await printed(environment);
    expect(first).toHaveLength(3);
    expect(first[0]).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/);
    expect(first[1]).toMatch(/^API key hk-\w{54} {2}Sign in:$/);
    expect(first[2]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console#link=[\w-]{43}$/);
    expect(Math.max(...first.map((line) => line.length))).toBeLessThanOrEqual(80);

    const again = runProgram(["start"], environment);
    const link = new URL(await again.line(/^(http:.*\/console#link=\S+)$/));
    expect(again.stdout()).toContain("API key in ");
    expect(again.stdout()).toContain("`hearth keys create` makes another");
    const response = await fetch(new URL("/console/api/sign-in", link), {
      method: "POST",
      headers: { "content-type": "application/json", "x-hearth-console": "1" },
      body: JSON.stringify({
        link: link.hash.replace("#link=", ""),
        email: "owner@example.com",
        password: "correct horse battery staple",
      }),
    });
    expect(response.status).toBe(200);
    again.child.kill("SIGTERM");
    expect(await again.exited).toBe(0);
    expect((await printed(environment))[2]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console$/);
  });

  it("says in one line which settings pin keys, and begins links with publicUrl and its path", async () => {
    const lines = await printed({
      HEARTH_DATA: join(temporaryFolder(), "data"),
      HEARTH_API_KEY: testKey,
      HEARTH_MANAGEMENT_KEY: pinnedManagementKey,
      HEARTH_PUBLIC_URL: "https://example.com/hearth/",
    });
    expect(lines.slice(1)).toEqual([
      "API key is pinned.  Sign in:",
      expect.stringMatching(/^https:\/\/example\.com\/hearth\/console#link=[\w-]{43}$/),
      "HEARTH_API_KEY and HEARTH_MANAGEMENT_KEY pin keys with all rights; they end with the setting",
    ]);
  });
});

describe("a start that cannot have its address or its data folder", () => {
  it("creates nothing, and names the program that has the port", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const folder = temporaryFolder();
    const run = runProgram(["start"], { HEARTH_DATA: join(folder, "data"), HEARTH_PORT: String(port) });
    expect(await run.exited).toBe(1);
    const by = process.platform === "linux" ? `\\S+ \\(pid ${process.pid}\\)` : ".*";
    expect(run.stderr()).toMatch(
      new RegExp(
        `^hearth: 127\\.0\\.0\\.1:${port} is in use by ${by}\\. Stop it, or choose another port: .hearth start --port ${port + 1}.\n$`,
      ),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("names the process of the server that runs with the data folder, whether the port is the same or another one", async () => {
    const data = join(temporaryFolder(), "data");
    const first = runProgram(["start"], { HEARTH_DATA: data, HEARTH_PORT: "0" });
    const url = await first.line(/^listening on (\S+)$/);
    const start = async (port: string): Promise<string> => {
      const run = runProgram(["start", "--port", port], { HEARTH_DATA: data });
      expect(await run.exited).toBe(1);
      return run.stderr();
    };
    const pid = first.child.pid ?? 0;
    expect(await start(new URL(url).port)).toContain(`Hearth runs already at ${url} (pid ${pid})`);
    expect(await start("0")).toContain(`another Hearth server (pid ${pid}, ${url}) is using the data folder`);
  });
});

it.runIf(process.platform !== "win32")(
  "ends when the npm that started it is stopped (not on Windows)",
  async () => {
    const data = join(temporaryFolder(), "data");
    const env = { ...process.env, HEARTH_DATA: data, HEARTH_PORT: "0", TEST_SIZE: "" };
    const npm = spawn("npm", ["run", "hearth", "--", "start"], { cwd: root, env, stdio: "pipe" });
    onTestFinished(() => void npm.kill("SIGKILL"));
    for await (const text of npm.stdout as AsyncIterable<Buffer>)
      if (text.toString().includes("/console#link=")) break;
    const { pid } = JSON.parse(readFileSync(join(data, "server.lock.json"), "utf8")) as { pid: number };
    npm.kill("SIGTERM");
    await expect.poll(() => isProcessAlive(pid)).toBe(false);
  },
);
