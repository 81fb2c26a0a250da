import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { stagePackage } from "../../../scripts/release/package.mjs";
import { platformFolders } from "../../../src/config/default-folders.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { type ProgramRun, runProgram } from "../../kit/program.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel } from "../../kit/server/settings.js";

const versions = z.record(z.string(), z.string());
const manifest = z.object({
  version: z.string(),
  dependencies: versions,
  bundleDependencies: z.array(z.string()),
  optionalDependencies: versions,
});
const bundledManifest = z.object({
  version: z.string(),
  scripts: z.unknown().optional(),
  optionalDependencies: z.unknown().optional(),
});
const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string(),
      os: z.array(z.string()).optional(),
      cpu: z.array(z.string()).optional(),
    }),
  ),
});
const doctorReport = z.object({
  settings: z.array(z.object({ name: z.string(), value: z.string(), source: z.string() })),
});

/** For all tests of this file. */
let cleanUp = (): void => undefined;
/** The installed package. */
let hearth = "";
let main = "";

beforeAll(() => {
  const modules = join(
    temporaryFolder((remove) => (cleanUp = () => void remove())),
    "node_modules",
  );
  hearth = join(modules, "hearth");
  // What is installed, without the compilation of SQLite: dist/ is up to date.
  stagePackage(root, hearth);
  const linked = ["better-sqlite3/build", "@img", "@node-llama-cpp"];
  for (const name of linked) {
    const place = join(name.includes("/") ? join(hearth, "node_modules") : modules, name);
    symlinkSync(join(root, "node_modules", name), place);
  }
  main = join(hearth, "dist/main.js");
  return () => cleanUp();
});

function packageJson(): z.infer<typeof manifest> {
  return manifest.parse(JSON.parse(readFileSync(join(hearth, "package.json"), "utf8")));
}

function lockedPackages(): z.infer<typeof lock>["packages"] {
  return lock.parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))).packages;
}

/** Returns the files of the package, with slashes. */
function paths(): readonly string[] {
  return readdirSync(hearth, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(hearth, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
}

/** Runs the installed program for a user with an empty home folder. */
function run(args: readonly string[], environment: NodeJS.ProcessEnv): ProgramRun {
  return runProgram(args, { HEARTH_PORT: "0", ...environment }, temporaryFolder(), main);
}

/** Returns each file of the installed package with its size and the time of its last change. */
function filesOfPackage(): readonly string[] {
  return paths()
    .map((name) => [name, statSync(join(hearth, name)).size, statSync(join(hearth, name)).mtimeMs].join(" "))
    .toSorted();
}

describe("the package", () => {
  it("has the program, the guides, the built-in models, the licenses and packages, nothing else", () => {
    const found = paths().filter((path) => !path.startsWith("node_modules/"));
    for (const path of [
      "dist/main.js",
      "dist/engine/text/worker.js",
      "dist/docs/command-line.md",
      "dist/third-party-licenses.txt",
      "models/hearth-tiny-5m/hearth-tiny-5m.gguf",
      "LICENSE",
      "README.md",
    ])
      expect(found).toContain(path);
    const expected =
      /^(dist\/[^.]|models\/hearth-\w+-\dm\/|(README|CHANGELOG|SECURITY)\.md$|LICENSE$|package\.json$|setup\.mjs$)/;
    expect(found.filter((path) => !expected.test(path))).toEqual([]);
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

  it("E34: has or names every package in the version of the lock file, and asks npm for no other", () => {
    const { dependencies, bundleDependencies, optionalDependencies } = packageJson();
    const locked = Object.entries(lockedPackages());
    const versionOf = (name: string) => lockedPackages()[`node_modules/${name}`]?.version;
    for (const [name, wanted] of Object.entries({ ...dependencies, ...optionalDependencies }))
      expect([name, wanted]).toEqual([name, versionOf(name)]);
    expect(Object.keys(dependencies).sort()).toEqual([...bundleDependencies].sort());
    // The libraries of a platform that the engine and its pictures have.
    const platforms = locked.filter(
      ([path, { os = [], cpu = [] }]) =>
        /^node_modules\/@(node-llama-cpp|img)\//.test(path) &&
        /linux|darwin|win32/.test(os.join()) &&
        !cpu.includes("wasm32"),
    );
    expect(platforms.map(([path]) => path.replace("node_modules/", "")).sort()).toEqual(
      Object.keys(optionalDependencies).sort(),
    );
    for (const path of paths().filter((each) =>
      /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(each),
    )) {
      const bundled = bundledManifest.parse(JSON.parse(readFileSync(join(hearth, path), "utf8")));
      expect([path, bundled.scripts, bundled.optionalDependencies]).toEqual([path, undefined, undefined]);
      expect([path, bundled.version]).toEqual([path, lockedPackages()[dirname(path)]?.version]);
    }
  });

  it("has what each of its packages depends on", () => {
    const loaded = [
      "node-llama-cpp",
      "@huggingface/transformers",
      "better-sqlite3",
      "sharp",
      "tiktoken/lite",
    ];
    const parts = [...loaded, "onnxruntime-node", "unpdf", "mpg123-decoder"];
    const script = `await Promise.all(${JSON.stringify(parts)}.map((name) => import(name))); process.exit(0);`;
    const args = ["--input-type=module", "--eval", script];
    expect(spawnSync(process.execPath, args, { cwd: hearth, encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });

  it("is made by npm run package alone: npm pack in a checkout says so", () => {
    const { status, stderr } = spawnSync("npm", ["pack", "--dry-run"], { cwd: root, encoding: "utf8" });
    expect([status, stderr.includes("Run `npm run package`")]).toEqual([1, true]);
  });

  it("prints its version", async () => {
    const printed = run(["--version"], {});
    expect(await printed.exited).toBe(0);
    expect(printed.stdout()).toBe(`${packageJson().version}\n`);
  });
});
