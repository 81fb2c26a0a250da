import { existsSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
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
  expect(before).toMatch(/ok {7}model zeta: \d+ kB, 2048 tokens of context, /);
  expect(existsSync(join(folder, "data/hearth.db"))).toBe(false);
  const team = runProgram(["teams", "create", "research"], environment);
  expect(await team.exited).toBe(0);
  const found = await doctor();
  expect(found).toMatch(/warning {2}model zeta: .*, no price: `hearth prices set`/);
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
  expect(line).toMatch(/^ {2}ok {7}certificate: localhost, 127\.0\.0\.1.*: valid until \d{4}-\d\d-\d\d$/);
  expect(await doctor("expired.pem", "first.key")).toEqual([
    1,
    expect.stringMatching(
      /^ {2}failed {3}certificate: .*: the certificate expired on \d{4}-\d\d-\d\d: clients refuse it$/,
    ),
  ]);
  expect(await doctor("first.pem", "second.key")).toEqual([
    1,
    expect.stringMatching(
      /^ {2}failed {3}certificate: tlsKey: .* is not the private key of the certificate in /,
    ),
  ]);
  const run = runProgram(["doctor"], environment);
  await run.exited;
  expect(run.stdout()).not.toContain("certificate");
});

it("prints the checks first, then the settings that differ from their defaults, and a sum as the last line", async () => {
  const { environment } = commandEnvironment();
  const doctor = async (...words: string[]): Promise<readonly [number | string, readonly string[]]> => {
    const run = runProgram(["doctor", ...words], environment);
    return [await run.exited, run.stdout().trimEnd().split("\n")];
  };
  const [code, lines] = await doctor();
  expect(code).toBe(0);
  expect(lines[0]).toBe("Checks");
  const checks = lines.slice(1, lines.indexOf(""));
  const isOf = (state: string) => (line: string) => line.startsWith(`  ${state}`);
  const counts = ["ok", "warning", "failed"].map((state) => checks.filter(isOf(state)).length);
  const [ok, warnings] = counts;
  expect(lines.at(-1)).toBe(`${ok} ok, ${warnings} ${warnings === 1 ? "warning" : "warnings"}, 0 failed`);
  expect(lines.some((line) => /^ {2}port +0 +HEARTH_PORT$/.test(line))).toBe(true);
  expect(lines.join("\n")).not.toContain("queueDepthMax");
  const [, all] = await doctor("--all");
  expect(all.some((line) => /^ {2}queueDepthMax +64 +default$/.test(line))).toBe(true);
});

it("fails for a port that another program has, and runs with a wrong setting, which it names", async () => {
  const { environment } = commandEnvironment();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const wrong = { HEARTH_PORT: String(port), HEARTH_KEEP_ALIVE_MS: "soon", HEARTH_HSOT: "::1" };
  const run = runProgram(["doctor"], { ...environment, ...wrong });
  expect(await run.exited).toBe(1);
  const lines = run.stdout().trimEnd().split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      "  failed   configuration: unknown environment variable HEARTH_HSOT; did you mean HEARTH_HOST?",
      expect.stringMatching(
        /^ {2}failed {3}configuration: keepAliveMs \(set by \S+\): must be a whole number from /,
      ),
      expect.stringMatching(
        `^  failed   port: 127\\.0\\.0\\.1:${port} cannot be used: another program uses it\\. `,
      ),
      expect.stringMatching(/^ {2}ok {7}model hearth-tiny-5m: /),
    ]),
  );
  expect(lines.at(-1)).toMatch(/, 3 failed$/);
});
