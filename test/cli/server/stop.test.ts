import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeModel } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram, startProcess } from "../../kit/program.js";
import { clientOf } from "../../kit/server/requests.js";

async function run(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const program = runProgram(args, environment);
  program.child.stdin?.end();
  return { code: await program.exited, out: program.stdout(), err: program.stderr() };
}

describe("hearth stop", () => {
  it("waits until the server has ended, and says so; where none runs, that is a clear message, and nothing is created", async () => {
    const data = join(temporaryFolder(), "data");
    const server = await startProcess({ HEARTH_DATA: data });
    const pid = server.child.pid ?? 0;
    expect(await run(["stop"], { HEARTH_DATA: data })).toEqual({
      code: 0,
      out: `stopped the server (pid ${pid})\n`,
      err: "",
    });
    expect(await server.exited).toBe(0);
    const none = join(temporaryFolder(), "none");
    for (const folder of [data, none])
      expect(await run(["stop"], { HEARTH_DATA: folder })).toEqual({
        code: 1,
        out: "",
        err: `hearth: no server uses the data folder ${folder}\n`,
      });
    expect(existsSync(none)).toBe(false);
  });

  it("--force cuts off an answer that would take longer, and --quiet prints nothing", async () => {
    const models = temporaryFolder();
    await writeModel(join(models, "endless.gguf"), { contextLength: 8192, vocabularySize: 20_000 });
    const environment = { HEARTH_DATA: join(temporaryFolder(), "data"), HEARTH_SHUTDOWN_GRACE_MS: "600000" };
    const server = await startProcess({ ...environment, HEARTH_MODELS: models });
    const messages = [{ role: "user", content: "Hello!" } as const];
    const request = { model: "endless", messages, ignore_eos: true };
    const stream = await clientOf(server.url).chat.completions.create({ ...request, stream: true });
    const read = async (): Promise<void> => {
      let stopped: ReturnType<typeof run> | null = null;
      for await (const _ of stream) stopped ??= run(["stop", "--force", "--quiet"], environment);
      await stopped;
    };
    await expect(read()).rejects.toThrow();
    await server.exited;
    expect((await run(["stop"], environment)).code).toBe(1);
  });
});

describe("hearth logs", () => {
  it("prints the last lines as text or as JSON, also when the server has ended, and says where the log is", async () => {
    const data = join(temporaryFolder(), "data");
    const environment = { HEARTH_DATA: data };
    const before = await run(["logs"], environment);
    expect([before.code, before.err]).toEqual([1, expect.stringContaining("there is no log yet")]);
    const server = await startProcess(environment);
    for (const path of ["/healthz", "/v1/nothing"]) await (await fetch(server.url + path)).text();
    const file = join(data, "logs", "hearth.log");
    await expect
      .poll(async () => (await run(["logs", "-n", "1", "-q"], environment)).out)
      .toMatch(/^\d{4}-\S+Z \w+ +.*path=\/v1\/nothing status=404 .*\n$/);
    await run(["stop"], environment);
    const after = await run(["logs", "--json", "-n", "all"], environment);
    expect(after.err).toBe(`the log is ${file}\n`);
    const lines = after.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { path?: string });
    expect(lines.map(({ path }) => path)).toEqual(expect.arrayContaining(["/healthz", "/v1/nothing"]));
    expect((await run(["logs", "--path"], environment)).out).toBe(`${file}\n`);
  });

  it("-f goes on with new lines until Ctrl-C, also over a restart of the server", async () => {
    const environment = { HEARTH_DATA: join(temporaryFolder(), "data") };
    const follow = runProgram(["logs", "-f", "-q"], environment);
    for (const path of ["/first", "/second"]) {
      const server = await startProcess(environment);
      const met = follow.line(new RegExp(`path=(${path})`));
      await (await fetch(server.url + path)).text();
      expect(await met).toBe(path);
      await run(["stop"], environment);
    }
    follow.child.kill("SIGINT");
    expect(await follow.exited).toBe(0);
  });
});
