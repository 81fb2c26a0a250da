import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ConfigError, loadConfig } from "../../../src/config/config.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import { testKey } from "../../kit/server/settings.js";

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

it("prints a link at the first start with which the first owner signs in, and later only how to get one", async () => {
  const environment = { HEARTH_PORT: "0", HEARTH_DATA: join(temporaryFolder(), "data") };
  const first = runProgram(["start"], environment);
  const link = new URL(
    (await first.line(/^ {2}Console +(\S+) +\(sign in with this link, once, within 24 hours\)$/)) ?? "",
  );
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
  first.child.kill("SIGTERM");
  expect(await first.exited).toBe(0);
  const second = runProgram(["start"], environment);
  expect(await second.line(/^ {2}Console +(.*)$/)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console$/);
  second.child.kill("SIGTERM");
  await second.exited;
});
