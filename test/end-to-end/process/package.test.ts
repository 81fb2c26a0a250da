import { execFile, execFileSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { toShrinkwrap, type Lock } from "../../../scripts/release/shrinkwrap.mjs";
import { platformFolders } from "../../../src/config/default-folders.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { type ProgramRun, runProgram } from "../../kit/program.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel } from "../../kit/server/settings.js";
import { startRegistry } from "../../kit/doubles/package-registry.js";

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
  const shrinkwrap = (...words: string[]) =>
    execFileSync(process.execPath, [join(root, "scripts/shrinkwrap.mjs"), ...words]);
  const args = ["pack", "--ignore-scripts", "--json", "--loglevel=error", "--pack-destination", folder];
  shrinkwrap();
  try {
    [tarball] = packed.parse(JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" })));
  } finally {
    shrinkwrap("--remove");
  }
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

function packagesOf(text: string): Lock["packages"] {
  return (JSON.parse(text) as Lock).packages;
}

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
      "dist/engine/text/worker.js",
      "dist/docs/command-line.md",
      "dist/third-party-licenses.txt",
      "models/hearth-tiny-5m/hearth-tiny-5m.gguf",
      "LICENSE",
      "README.md",
    ])
      expect(paths).toContain(path);
    const expected =
      /^(dist\/[^.]|models\/hearth-\w+-\dm\/|(README|CHANGELOG|SECURITY)\.md$|LICENSE$|(package|npm-shrinkwrap)\.json$)/;
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
    const key = readFileSync(join(data, "first-key"), "utf8").trim();
    expect(server.stdout()).toContain(`API key ${key}  Sign in:`);
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

  it("E34: has the lock file, without packages of development and without the host of a registry", () => {
    const hooks = z.object({ scripts: z.object({ prepack: z.string(), postpack: z.string() }) });
    const { scripts } = hooks.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    expect(scripts.prepack).toMatch(/&& node scripts\/shrinkwrap\.mjs$/);
    expect(scripts.postpack).toBe("node scripts/shrinkwrap.mjs --remove");
    const text = readFileSync(join(dirname(dirname(main)), "npm-shrinkwrap.json"), "utf8");
    const { packages } = JSON.parse(text) as Lock;
    const locked = packagesOf(readFileSync(join(root, "package-lock.json"), "utf8"));
    expect(text).not.toMatch(/https?:|"resolved"|"dev": true|devDependencies/);
    expect(Object.keys(packages).sort()).toEqual(
      Object.entries(locked)
        .filter(([, { dev }]) => dev !== true)
        .map(([path]) => path)
        .sort(),
    );
    for (const [path, { integrity }] of Object.entries(packages))
      if (path !== "") expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    const withHost = { resolved: "https://registry.example/x.tgz", version: "1.0.0" };
    const lock = { name: "x", version: "1.0.0", lockfileVersion: 3, packages: { "": {}, a: withHost } };
    expect(toShrinkwrap(lock).packages["a"]).toEqual({ version: "1.0.0" });
  });

  it("E34: installed from a registry, brings the versions and hashes of the lock file, overrides included", async () => {
    const project = temporaryFolder();
    writeFileSync(join(project, "package.json"), '{"name":"project","version":"1.0.0","private":true}');
    const file = join(folder, tarball.filename);
    const manifestOfPackage = manifest
      .loose()
      .parse(JSON.parse(readFileSync(join(dirname(dirname(main)), "package.json"), "utf8")));
    const registry = await startRegistry(file, manifestOfPackage);
    const options = [
      "--registry",
      registry,
      "--cache",
      temporaryFolder(),
      "--package-lock-only",
      "--ignore-scripts",
    ];
    await promisify(execFile)("npm", ["install", ...options, `hearth@${version}`], { cwd: project });
    const found = packagesOf(readFileSync(join(project, "package-lock.json"), "utf8"));
    const locked = packagesOf(readFileSync(join(root, "package-lock.json"), "utf8"));
    const inside = Object.entries(found).flatMap(([path, { version: installed, integrity }]) =>
      path === "" || path === "node_modules/hearth"
        ? []
        : [[path.replace(/^node_modules\/hearth\//, ""), installed, integrity]],
    );
    expect(inside.sort()).toEqual(
      Object.entries(locked)
        .filter(([path, { dev }]) => path !== "" && dev !== true)
        .map(([path, entry]) => [path, entry.version, entry.integrity])
        .sort(),
    );
    expect(inside.map(([path]) => path)).toContain("node_modules/prebuild-install");
  });

  it("E34: unpacked, is installed by npm ci from the lock file, as the guide says, which asks no registry for versions", () => {
    const unpacked = temporaryFolder();
    execFileSync("tar", ["-xzf", join(folder, tarball.filename), "-C", unpacked, "--strip-components", "1"]);
    const npm = (...words: string[]): string =>
      execFileSync("npm", [...words, "--cache", temporaryFolder()], { cwd: unpacked, encoding: "utf8" });
    npm("pkg", "delete", "devDependencies");
    const planned = npm("ci", "--omit=dev", "--dry-run", "--offline", "--ignore-scripts");
    for (const [name, wanted] of Object.entries(dependencies))
      expect(planned).toContain(`${name} ${wanted}\n`);
  });

  it("prints its version", async () => {
    const printed = run(["--version"], {});
    expect(await printed.exited).toBe(0);
    expect(printed.stdout()).toBe(`${version}\n`);
  });
});
