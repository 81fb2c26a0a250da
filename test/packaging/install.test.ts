import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { measureBytes } from "../../scripts/slim-removals.mjs";
import { engineVersion } from "../../src/system/version.js";
import { startRegistry } from "../kit/doubles/package-registry.js";
import { root, temporaryFolder } from "../kit/folder.js";
import { type ProgramRun, runProgram } from "../kit/program.js";
import { answerEveryKind } from "../kit/server/every-kind.js";
import { clientOf } from "../kit/server/requests.js";

/** SQLite is compiled, and 200 MB come from the registry. */
const installMsMax = 900_000;
const globalFolderBytesMax = 300e6;

const manifestOf = z.looseObject({ name: z.string(), version: z.string() });
const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
const hasRegistry = await fetch(new URL("sharp", registry)).then(
  ({ ok }) => ok,
  () => false,
);
const absent = hasRegistry ? "" : " (not run: npm's registry does not answer)";

/** For all tests of this file. */
let cleanUp = (): void => undefined;
let folder = "";
let tarball = "";

beforeAll(() => {
  folder = temporaryFolder((remove) => (cleanUp = () => void remove()));
  execFileSync(process.execPath, ["scripts/package.mjs", folder], { cwd: root });
  tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  execFileSync("tar", ["-xzf", tarball, "-C", folder, "package/package.json"]);
  return () => cleanUp();
}, installMsMax);

/** Runs npm for a user without settings, who reaches a registry and nothing else. */
async function npm(args: readonly string[], from: string): Promise<string> {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const environment = {
    PATH: process.env["PATH"],
    HOME: home,
    npm_config_cache: join(folder, "cache"),
    npm_config_registry: from,
    // Nothing else can be reached, such as the project's site of a package, or header files of Node.js.
    npm_config_replace_registry_host: "always",
    ...Object.fromEntries(["http_proxy", "https_proxy"].map((name) => [name, "http://127.0.0.1:9"])),
    no_proxy: "127.0.0.1",
    ...(existsSync(join(process.execPath, "../../include/node/node.h"))
      ? {}
      : { npm_config_nodedir: process.env["npm_config_nodedir"] }),
  };
  const { stdout } = await promisify(execFile)("npm", args, { cwd: home, env: environment });
  return stdout;
}

/** Returns the folder that npm installs a global package into. */
function modulesIn(prefix: string): string {
  return join(prefix, process.platform === "win32" ? "node_modules" : "lib/node_modules");
}

function run(prefix: string, args: readonly string[], home: string): ProgramRun {
  const main = join(modulesIn(prefix), "hearth/dist/main.js");
  return runProgram(args, { HEARTH_PORT: "0", HOME: home }, home, main);
}

async function published(): Promise<string> {
  const manifest = manifestOf.parse(JSON.parse(readFileSync(join(folder, "package/package.json"), "utf8")));
  return startRegistry({ tarball, manifest }, registry);
}

describe.runIf(hasRegistry)(`npm install --global hearth${absent}`, () => {
  it(
    "takes 300 MB at most, and chats, describes, embeds, draws and is healthy, with nothing but a registry",
    async () => {
      const prefix = join(folder, "global");
      const began = performance.now();
      await npm(
        ["install", "--global", "--prefix", prefix, "--allow-scripts=hearth", "hearth"],
        await published(),
      );
      const seconds = Math.round((performance.now() - began) / 1000);
      const bytes = measureBytes(prefix);
      process.stdout.write(`npm install --global hearth: ${seconds} s, ${Math.round(bytes / 1e6)} MB\n`);
      expect(bytes).toBeLessThanOrEqual(globalFolderBytesMax);
      const linked =
        process.platform === "win32" ? ["hearth.cmd"] : ["bin/hearth", "share/man/man1/hearth.1"];
      expect(linked.filter((path) => !existsSync(join(prefix, path)))).toEqual([]);

      const home = temporaryFolder();
      const server = run(prefix, ["start"], home);
      const url = await Promise.race([
        server.line(/^listening on (http:\/\/\S+)$/),
        server.exited.then((code) => Promise.reject(new Error(`ended with ${code}: ${server.stderr()}`))),
      ]);
      const key = await server.line(/(hk-\w+)/);
      expect(await answerEveryKind(clientOf(url, key))).toEqual({ text: true, embedding: 2, image: true });
      server.child.kill("SIGTERM");
      expect(await server.exited).toBe(0);
      const doctor = run(prefix, ["doctor"], home);
      expect([await doctor.exited, doctor.stderr()]).toEqual([0, ""]);
    },
    installMsMax,
  );

  it(
    "says how SQLite is compiled where npm ran no script",
    async () => {
      const prefix = join(folder, "without-scripts");
      await npm(["install", "--global", "--prefix", prefix, "--ignore-scripts", tarball], await published());
      const start = run(prefix, ["start"], temporaryFolder());
      expect(await start.exited).toBe(1);
      expect(start.stderr()).toContain(
        `SQLite is not compiled for this machine and Node.js ${process.versions.node}: ` +
          "`npm rebuild --global --allow-scripts=hearth hearth` compiles it",
      );
    },
    installMsMax,
  );

  it(
    "is run by npx without an install",
    async () => {
      const { version } = manifestOf.parse(
        JSON.parse(readFileSync(join(folder, "package/package.json"), "utf8")),
      );
      const printed = await npm(
        ["exec", "--yes", "--ignore-scripts", "hearth", "--", "--version"],
        await published(),
      );
      expect(printed).toBe(`${version}\n`);
    },
    installMsMax,
  );

  it("finds binaries for CUDA that are installed beside it", async () => {
    const prefix = join(folder, "without-scripts");
    const name = `${process.platform}-${process.arch}-cuda`.replace("win32", "win");
    const beside = join(modulesIn(prefix), "@node-llama-cpp", name);
    mkdirSync(beside, { recursive: true });
    onTestFinished(() => rmSync(beside, { recursive: true, force: true }));
    const content = {
      name: `@node-llama-cpp/${name}`,
      version: engineVersion,
      type: "module",
      exports: "./index.js",
    };
    writeFileSync(join(beside, "package.json"), JSON.stringify(content));
    writeFileSync(
      join(beside, "index.js"),
      "export const getBinsDir = () => ({ binsDir: '', packageVersion: '' });",
    );
    const engine = join(modulesIn(prefix), "hearth/node_modules/node-llama-cpp/dist/index.js");
    const script = `import { createRequire } from "node:module"; import { pathToFileURL } from "node:url";
      console.log(createRequire(pathToFileURL(${JSON.stringify(engine)})).resolve("@node-llama-cpp/${name}"));`;
    const found = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      encoding: "utf8",
    });
    expect(found.trim()).toBe(join(beside, "index.js"));
  });
});
