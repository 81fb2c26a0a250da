import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { copyCheckout, libraryFolder } from "../../scripts/qa/cpu-generations/checkout.js";
import {
  chosen,
  cpuFlags,
  generationsIn,
  nameLibrary,
} from "../../scripts/qa/cpu-generations/generations.js";
import { readReport } from "../../scripts/qa/cpu-generations/tests.js";
import { root, temporaryFolder } from "../kit/folder.js";
import { until } from "../kit/until.js";

/** What an AMD EPYC of the second generation has, among much else. */
const epycWithoutAvx512 = "processor\t: 0\nflags\t\t: fpu sse4_2 avx f16c fma avx2 bmi2 sha_ni\npower\t:\n";
const names = ["zen4", "x64", "haswell", "sandybridge", "alderlake", "skylakex"];

function folderOf(generations: readonly string[]): string {
  const folder = temporaryFolder();
  for (const name of generations) writeFileSync(join(folder, nameLibrary(name)), name);
  writeFileSync(join(folder, "libggml-base.so"), "");
  return folder;
}

/** A checkout with empty files, and the libraries of these generations. */
function checkoutOf(generations: readonly string[]): string {
  const checkout = temporaryFolder();
  const engine = dirname(dirname(libraryFolder));
  const files = [
    "package.json",
    "tsconfig.json",
    "vitest.config.ts",
    "models/m.gguf",
    "src/a.ts",
    "test/a.ts",
  ];
  const packages = [
    "node_modules/zod/index.js",
    "node_modules/node-llama-cpp/index.js",
    `${engine}/package.json`,
  ];
  const libraries = generations.map((name) => `${libraryFolder}/${nameLibrary(name)}`);
  for (const file of [...files, "dist/a.js", "scripts/a.ts", ...packages, ...libraries]) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), file);
  }
  return checkout;
}

describe("the CPU generations that a machine can run", () => {
  it("are those whose every flag the CPU has, simplest first; of the others it is said what is missing", () => {
    const generations = generationsIn(folderOf(names), cpuFlags(epycWithoutAvx512));
    const avx512 = ["avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw"];
    expect(generations).toEqual([
      { name: "x64", missing: [] },
      { name: "sandybridge", missing: [] },
      { name: "haswell", missing: [] },
      { name: "alderlake", missing: ["avx_vnni"] },
      { name: "skylakex", missing: avx512 },
      { name: "zen4", missing: [...avx512, "avx512_vnni", "avx512_bf16", "avx512vbmi"] },
    ]);
  });

  it("never include one whose needs are not recorded", () => {
    expect(generationsIn(folderOf(["future"]), cpuFlags(epycWithoutAvx512))).toEqual([
      { name: "future", missing: null },
    ]);
  });

  it("are known for every library that the installed engine has for Linux on x64", () => {
    const generations = generationsIn(join(root, libraryFolder), new Set());
    expect(generations.length).toBeGreaterThan(0);
    expect(generations.filter(({ missing }) => missing === null)).toEqual([]);
  });

  it("can be chosen by name, in any order and number; any unknown name is an error that lists the known ones", () => {
    const generations = generationsIn(folderOf(names), new Set());
    fc.assert(
      fc.property(fc.subarray(names, { minLength: 1 }), fc.string(), (some, other) => {
        expect(new Set(chosen(generations, some).map(({ name }) => name))).toEqual(new Set(some));
        if (names.includes(other)) return;
        expect(() => chosen(generations, [...some, other])).toThrow(/known: x64, sandybridge, haswell/);
      }),
    );
    expect(chosen(generations, [])).toEqual(generations);
  });
});

describe("the copy of a checkout", () => {
  it("has one library at a time, and leaves the checkout as it is", () => {
    const checkout = checkoutOf(["x64", "haswell"]);
    const before = readdirSync(checkout, { recursive: true }).toSorted();
    const folder = temporaryFolder();
    const copy = copyCheckout(checkout, folder);
    const libraries = join(folder, libraryFolder);
    for (const name of ["x64", "haswell", "x64"]) {
      copy.use(name);
      expect(readdirSync(libraries)).toEqual([nameLibrary(name)]);
      expect(readFileSync(join(libraries, nameLibrary(name)), "utf8")).toBe(
        `${libraryFolder}/${nameLibrary(name)}`,
      );
    }
    writeFileSync(join(folder, "src/a.ts"), "changed");
    expect(readFileSync(join(checkout, "src/a.ts"), "utf8")).toBe("src/a.ts");
    expect(readFileSync(join(folder, "node_modules/zod/index.js"), "utf8")).toBe("node_modules/zod/index.js");
    expect(readdirSync(checkout, { recursive: true }).toSorted()).toEqual(before);
  });
});

describe("a folder that is removed at the end", () => {
  const program = `
    import { removeAtEnd } from ${JSON.stringify(join(root, "scripts/qa/cpu-generations/removal.ts"))};
    const [folder, signal] = process.argv.slice(2);
    const removal = removeAtEnd(folder);
    removal.works(null);
    if (signal === "none") await removal.now();
    else process.kill(process.pid, signal);
  `;

  it.each([
    ["its process asks for it", "none"],
    ["SIGTERM ends its process", "SIGTERM"],
    ["SIGKILL ends its process", "SIGKILL"],
  ])("is gone when %s", async (_when, signal) => {
    const [scratch, folder] = [temporaryFolder(), temporaryFolder()];
    const file = join(scratch, "program.mts");
    writeFileSync(file, program);
    writeFileSync(join(folder, "a"), "");
    const ended = spawnSync(process.execPath, ["--import", "tsx", file, folder, signal], { cwd: root });
    expect(ended.signal).toBe(signal === "none" ? null : signal);
    if (signal !== "none") await until(() => !existsSync(folder));
    expect(existsSync(folder)).toBe(false);
  });
});

describe("a report of the tests", () => {
  it("counts a test that failed and a file that did not load, each with its title, and says so where it timed out", () => {
    const failed = { fullName: "a test", status: "failed", failureMessages: ["one\ntwo\nthree\nfour"] };
    const passed = { fullName: "another", status: "passed", failureMessages: [] };
    const testResults = [
      { name: "/a.test.ts", status: "failed", message: "", assertionResults: [failed, passed] },
      { name: "/b.test.ts", status: "failed", message: "cannot be read", assertionResults: [] },
      { name: "/c.test.ts", status: "failed", message: "Error: STACK_TRACE_ERROR", assertionResults: [] },
    ];
    expect(readReport(JSON.stringify({ numPassedTests: 1, testResults }))).toEqual({
      passed: 1,
      failures: ["a test\none\ntwo\nthree", "/b.test.ts\ncannot be read", "/c.test.ts\nthe test timed out"],
    });
  });
});

describe("npm run test:cpu-generations", () => {
  it("called wrongly runs nothing, leaves no copy and ends with 2 and the known names", () => {
    const scratch = mkdtempSync(join(tmpdir(), "hearth-cpu-test-"));
    onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
    for (const args of [["pentium"], ["zen4", "pentium"], ["--all"]]) {
      const run = spawnSync(process.execPath, ["--import", "tsx", "scripts/qa/cpu-generations.ts", ...args], {
        cwd: root,
        env: { ...process.env, TMPDIR: scratch },
        encoding: "utf8",
      });
      expect([run.status, run.stdout]).toEqual([2, ""]);
      expect(run.stderr).toContain(args.includes("--all") ? "--all" : "(known: x64, sse42, sandybridge");
    }
    expect(readdirSync(scratch).filter((name) => name.startsWith("hearth-cpu-"))).toEqual([]);
  });
});
