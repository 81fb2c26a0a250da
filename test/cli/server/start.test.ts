import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ConfigError, loadConfig } from "../../../src/config.js";
import { runProgram, temporaryFolder, testKey } from "../../harness.js";

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
