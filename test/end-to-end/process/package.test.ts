import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { platformFolders } from "../../../src/default-folders.js";
import { builtInModel, clientOf, root, runProgram, temporaryFolder, type ProgramRun } from "../../harness.js";

const packed = z.tuple([
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }),
]);
const manifest = z.object({ version: z.string(), dependencies: z.record(z.string(), z.string()) });
const { version, dependencies } = manifest.parse(
  JSON.parse(readFileSync(join(root, "package.json"), "utf8")),
);
const doctorReport = z.object({
  settings: z.array(z.object({ name: z.string(), value: z.string(), source: z.string() })),
});

/** For all tests of this file. */
let cleanUp = (): void => undefined;
let folder = "";
let tarball: z.infer<typeof packed>[0];
let main = "";

beforeAll(() => {
  folder = temporaryFolder((remove) => (cleanUp = () => void remove()));
  // What `npm publish` and `npm install` of a folder do, without the build: dist/ is up to date.
  const args = ["pack", "--ignore-scripts", "--json", "--loglevel=error", "--pack-destination", folder];
  [tarball] = packed.parse(JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" })));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  execFileSync("tar", ["-xzf", join(folder, tarball.filename), "-C", modules]);
  const hearth = join(modules, "hearth");
  renameSync(join(modules, "package"), hearth);
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  main = join(hearth, "dist/main.js");
  return () => cleanUp();
});

/** Runs the installed program for a user with an empty home folder. */
function run(args: readonly string[], environment: NodeJS.ProcessEnv): ProgramRun {
  return runProgram(args, { HEARTH_PORT: "0", ...environment }, temporaryFolder(), main);
}

/** Returns each file of the installed package with its size and the time of its last change. */
function filesOfPackage(): readonly string[] {
  const hearth = dirname(dirname(main));
  return readdirSync(hearth, { recursive: true, encoding: "utf8" })
    .map((name) => [name, statSync(join(hearth, name)).size, statSync(join(hearth, name)).mtimeMs].join(" "))
    .toSorted();
}

describe("the package that npm packs", () => {
  it("has the program, the guides, the built-in models and the licenses, nothing else, in at most 20 MB", () => {
    const paths = tarball.files.map(({ path }) => path);
    for (const path of [
      "dist/main.js",
      "dist/engine/llama/worker.js",
      "dist/docs/command-line.md",
      "dist/third-party-licenses.txt",
      "models/hearth-tiny-5m/hearth-tiny-5m.gguf",
      "LICENSE",
      "README.md",
    ])
      expect(paths).toContain(path);
    const expected =
      /^(dist\/[^.]|models\/hearth-\w+-\dm\/|(README|CHANGELOG|SECURITY)\.md$|LICENSE$|package\.json$)/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    expect(tarball.size).toBeLessThan(20e6);
  });

  it("installed, answers a chat from the platform's folder of data, and writes nothing into its own", async () => {
    const before = filesOfPackage();
    const home = temporaryFolder();
    const folders = platformFolders({}, { platform: process.platform, home, isCheckout: false });
    const server = run(["start"], { HOME: home });
    const url = await Promise.race([
      server.line(/^listening on (http:\/\/\S+)$/),
      server.exited.then((code) => Promise.reject(new Error(`ended with ${code}: ${server.stderr()}`))),
    ]);
    const data = folders?.data ?? "";
    expect(server.stdout()).toContain(`stored in ${join(data, "first-key")}`);
    const key = readFileSync(join(data, "first-key"), "utf8").trim();
    const messages = [{ role: "user" as const, content: "Hello!" }];
    const answer = await clientOf(url, key).chat.completions.create({ model: builtInModel, messages });
    expect(answer.choices[0]?.message.content).not.toBe("");
    server.child.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    expect(readdirSync(data)).toContain("hearth.db");
    expect(filesOfPackage()).toEqual(before);
  });

  it("names the platform's folders in hearth doctor, and HEARTH_DATA and HEARTH_MODELS win", async () => {
    const home = temporaryFolder();
    const folders = platformFolders({}, { platform: process.platform, home, isCheckout: false });
    const settingsOf = async (environment: NodeJS.ProcessEnv) => {
      const doctor = run(["doctor", "--json"], { HOME: home, ...environment });
      expect(await doctor.exited).toBe(0);
      const { settings } = doctorReport.parse(JSON.parse(doctor.stdout()));
      return settings.filter(({ name }) => ["data", "models"].includes(name));
    };
    const source = "default of the installed package";
    expect(await settingsOf({})).toEqual([
      { name: "data", value: folders?.data, source },
      { name: "models", value: folders?.models, source },
    ]);
    const own = temporaryFolder();
    expect(await settingsOf({ HEARTH_DATA: own, HEARTH_MODELS: own })).toEqual([
      { name: "data", value: own, source: "HEARTH_DATA" },
      { name: "models", value: own, source: "HEARTH_MODELS" },
    ]);
  });

  it("prints its version", async () => {
    const printed = run(["--version"], {});
    expect(await printed.exited).toBe(0);
    expect(printed.stdout()).toBe(`${version}\n`);
  });
});
