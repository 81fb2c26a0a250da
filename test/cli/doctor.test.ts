import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runProgram } from "../kit/program.js";
import { commandEnvironment } from "./models/environment.js";

it("says that a model has no price once a prepaid team exists, and creates no database to find out", async () => {
  const { gguf, environment, folder } = commandEnvironment();
  gguf("models/zeta.gguf");
  const doctor = async (): Promise<string> => {
    const run = runProgram(["doctor"], environment);
    expect(await run.exited).toBe(0);
    return run.stdout();
  };
  const before = await doctor();
  expect(before).not.toContain("no price");
  expect(before).toMatch(/ok {4}model zeta: \d+ kB, 2048 tokens of context, /);
  expect(existsSync(join(folder, "data/hearth.db"))).toBe(false);
  const team = runProgram(["teams", "create", "research"], environment);
  expect(await team.exited).toBe(0);
  const found = await doctor();
  expect(found).toMatch(/ok {4}model zeta: .*, no price: `hearth prices set`/);
  expect(found).not.toMatch(/model hearth-tiny-5m: .*no price/);
  const priced = runProgram(["prices", "set", "zeta", "--prompt", "1", "--completion", "1"], environment);
  expect(await priced.exited).toBe(0);
  expect(await doctor()).not.toContain("no price");
});

it("prints the names and the end of the certificate, and fails where a server could not use it", async () => {
  const fixture = (name: string): string =>
    fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
  const { environment } = commandEnvironment();
  const doctor = async (cert: string, key: string): Promise<readonly [number | string, string]> => {
    const files = { HEARTH_TLS_CERT: fixture(cert), HEARTH_TLS_KEY: fixture(key) };
    const run = runProgram(["doctor"], { ...environment, ...files });
    const code = await run.exited;
    return [code, / {2}\S+ +certificate: .*/.exec(run.stdout())?.[0] ?? "no line"];
  };
  const [code, line] = await doctor("first.pem", "first.key");
  expect(code).toBe(0);
  expect(line).toMatch(/^ {2}ok {4}certificate: localhost, 127\.0\.0\.1.*: valid until \d{4}-\d\d-\d\d$/);
  expect(await doctor("expired.pem", "first.key")).toEqual([
    1,
    expect.stringMatching(
      /^ {2}FAIL {2}certificate: .*: the certificate expired on \d{4}-\d\d-\d\d: clients refuse it$/,
    ),
  ]);
  expect(await doctor("first.pem", "second.key")).toEqual([
    1,
    expect.stringMatching(
      /^ {2}FAIL {2}certificate: tlsKey: .* is not the private key of the certificate in /,
    ),
  ]);
  const run = runProgram(["doctor"], environment);
  await run.exited;
  expect(run.stdout()).not.toContain("certificate");
});
