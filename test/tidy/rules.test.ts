import { describe, expect, it } from "vitest";
import { privateWords } from "./language.js";
import { machineViolations } from "./machine.js";
import { plant } from "./plant.js";
import { ratchetViolations } from "./ratchet.js";
import { readViolations } from "./reads.js";
import { routeViolations } from "./routes.js";
import { composedStatements } from "./sql.js";
import { crowdedFolders, fileLines, fileSpread, functionLines, sizeLimits } from "./sizes.js";
import {
  defaultExportViolations,
  mergeViolations,
  nameViolations,
  promiseViolations,
  skippedTestViolations,
} from "./wording.js";

describe("routes and their files", () => {
  it("finds a file without a route and a route without a file", () => {
    const routes = `export const routes = ["/v1/chat/completions", "/v1/models/:id", "/v1/models/*id", "/v1/gone", "/healthz", "/auth/teams/:teamId/api-keys", "/auth/teams", "/audit/lost"];`;
    const root = plant({
      "src/http/routes.ts": routes,
      "src/http/v1/chat/completions.ts": "",
      "src/http/v1/models.ts": "",
      "src/http/v1/secret.ts": "",
      "src/http/auth/teams.ts": "",
      "src/http/auth/teams/api-keys.ts": "",
      "src/http/audit/more.ts": "",
    });
    expect(routeViolations(root)).toEqual([
      "src/http/v1/secret.ts has no route",
      "src/http/audit/more.ts has no route",
      "/v1/gone has no src/http/v1/gone.ts",
      "/audit/lost has no src/http/audit/lost.ts",
    ]);
  });
});

describe("files of others", () => {
  it("finds a function that would wait for a pipe, where such files are read, and nowhere else", () => {
    const text =
      'import { readFile as read, stat } from "node:fs/promises";\nimport { createReadStream } from "node:fs";\n';
    expect(readViolations(plant({ "src/models/a.ts": text, "src/accounts/b.ts": text }))).toEqual([
      "src/models/a.ts:1 readFile",
      "src/models/a.ts:2 createReadStream",
    ]);
  });
});

describe("statements of SQL", () => {
  it("finds one that is put together as a text, and none whose text is constant or whose values are parameters", () => {
    const text = [
      "sql`select ${value}`;",
      'sql.raw(isUp ? ">" : "<");',
      "/a/.exec(text);",
      'database.exec("vacuum");',
      "sql.raw(text);",
      "database.prepare(`select * from ${name}`);",
      'client.query("drop table " + name);',
    ].join("\n");
    expect(composedStatements(plant({ "src/jobs/a.ts": text }))).toEqual([
      "src/jobs/a.ts:5 text",
      "src/jobs/a.ts:6 `select * from ${name}`",
      'src/jobs/a.ts:7 "drop table " + name',
    ]);
  });
});

describe("folders", () => {
  it("finds a folder with more files than one subject has, and counts subfolders by themselves", () => {
    const files = (folder: string, count: number) =>
      Array.from({ length: count }, (_, index) => [`${folder}/f${index}.ts`, ""] as const);
    const root = plant(
      Object.fromEntries([
        ...files("src/full", sizeLimits.folderFiles),
        ...files("src/full/inner", 1),
        ...files("test/crowded", sizeLimits.folderFiles + 1),
      ]),
    );
    expect(crowdedFolders(root)).toEqual([`test/crowded: ${sizeLimits.folderFiles + 1}`]);
  });
});

describe("words", () => {
  it("finds each private word in src and scripts, but not in the training texts of the chat model", () => {
    const line = "/** Whoever asks is told. */";
    const root = plant({
      "src/a.ts": `export const a = 1;\n${line}\n`,
      "src/retold.ts": "/** It was retold. */",
      "scripts/b.mjs": line,
      "scripts/train/chat/c.py": line,
    });
    expect(privateWords(root)).toEqual([`src/a.ts:2: ${line}`, `scripts/b.mjs:1: ${line}`]);
  });
});

describe("time, chance and environment", () => {
  it.each([
    "Date.now();",
    "new Date();",
    "Date();",
    "performance.now();",
    "Math.random();",
    "crypto.randomUUID();",
    "process.env.HOME;",
    `process["env"];`,
    "globalThis.process.env;",
    "const { env } = process;",
    `import { randomBytes as bytes } from "node:crypto";`,
    `import { env } from "node:process";`,
  ])("finds %s", (code) => {
    expect(machineViolations(plant({ "src/store/a.ts": `\n${code}\n` }))).toEqual([
      expect.stringMatching(/^src\/store\/a\.ts:2 /),
    ]);
  });

  it("lets the machine's own files ask it, each for its own thing only", () => {
    const code = "Date.now(); Math.random();\nprocess.env.HOME;";
    const root = plant({ "src/system.ts": code, "src/config.ts": code });
    expect(machineViolations(root)).toEqual([
      "src/config.ts:1 Date.now",
      "src/config.ts:1 Math.random",
      "src/system.ts:2 process.env",
    ]);
  });

  it("is content with a date made from a number and with the words in a comment", () => {
    expect(machineViolations(plant({ "src/a.ts": "// Date.now()\nnew Date(0);" }))).toEqual([]);
  });
});

describe("sizes", () => {
  it("measures files to their last line", () => {
    const root = plant({ "src/a.ts": "1;\n2;\n", "src/b.ts": "1;\n2;\n3;", "scripts/c.py": "x = 1\n" });
    expect([...fileLines(root)]).toEqual([
      ["src/a.ts", 2],
      ["src/b.ts", 3],
      ["scripts/c.py", 1],
    ]);
  });

  it("measures every form of function under its name", () => {
    const code = [
      "export function plain() {\n  return 1;\n}",
      "const arrow = () => 1;",
      "const made = { method() {\n  return [1].map((x) => x);\n} };",
      "class Room { constructor() {} get size() { return 1; } }",
      "function plain() {}",
    ];
    expect([...functionLines(plant({ "src/a.ts": code.join("\n") }))]).toEqual([
      ["src/a.ts#plain", 3],
      ["src/a.ts#arrow", 1],
      ["src/a.ts#method", 3],
      ["src/a.ts#(in [1].map)", 1],
      ["src/a.ts#constructor", 1],
      ["src/a.ts#size", 1],
      ["src/a.ts#plain 2", 1],
    ]);
  });

  it("takes the median and the 90th percentile of src", () => {
    const files = Array.from({ length: 10 }, (_, at) => [`src/${at}.ts`, "1;\n".repeat(at + 1)] as const);
    expect(fileSpread(plant(Object.fromEntries(files)))).toEqual({ fileMedian: 6, fileP90: 10 });
  });
});

describe("the ratchet may shrink, never grow", () => {
  it("lets what is recorded stay as it is", () => {
    expect(ratchetViolations(new Map([["a", 320]]), 300, { a: 320 })).toEqual([]);
  });

  it("refuses what is over the line and not recorded", () => {
    expect(ratchetViolations(new Map([["a", 301]]), 300, {})).toEqual(["a has 301, at most 300"]);
  });

  it("refuses growth beyond the record", () => {
    expect(ratchetViolations(new Map([["a", 321]]), 300, { a: 320 })).toEqual(["a has 321, at most 320"]);
  });

  it("asks to lower an entry that has shrunk", () => {
    expect(ratchetViolations(new Map([["a", 310]]), 300, { a: 320 })).toEqual([
      "a shrank from 320 to 310: lower its entry",
    ]);
  });

  it("asks to remove an entry that is within the line or gone", () => {
    expect(ratchetViolations(new Map([["a", 300]]), 300, { a: 320, b: 400 })).toEqual([
      "a needs its entry (320) no more: remove it",
      "b needs its entry (400) no more: remove it",
    ]);
  });

  it("lifts nothing over the ceiling", () => {
    expect(ratchetViolations(new Map([["a", 71]]), 49, { a: 71 }, 70)).toEqual(["a has 71, at most 70"]);
  });
});

describe("names and wording", () => {
  it.each(["src/utils/a.ts", "src/http/helpers.ts", "test/common.test.ts", "scripts/services/a.mjs"])(
    "refuses the name %s",
    (path) => {
      expect(nameViolations(plant({ [path]: "" }))).toEqual([path]);
    },
  );

  it.each([
    "export default 1;",
    "export default function a() {}",
    "const a = 1; export { a as default };",
    `export { default } from "./b.js";`,
  ])("finds %s", (code) => {
    expect(defaultExportViolations(plant({ "src/a.ts": code }))).toEqual(["src/a.ts:1"]);
  });

  it("finds a note of undone work", () => {
    const note = ["TO", "DO"].join("");
    expect(promiseViolations(plant({ "scripts/a.py": `x = 1\n# ${note}: more\n` }))).toEqual([
      "scripts/a.py:2",
    ]);
  });

  it.each(["<<<<<<< HEAD", "| <<<<<<< HEAD |", ">>>>>>> main", "> > > > > > > main (a commit)"])(
    "finds what a merge has left: %s",
    (line) => {
      const root = plant({ "src/docs/a.md": `# A\n\n> A quotation.\n${line}\n`, "src/a.ts": "" });
      expect(mergeViolations(root)).toEqual(["src/docs/a.md:4"]);
    },
  );

  it.each(["it.skip", "describe.only", "test.todo", "it.skipIf(true)"])("finds %s", (call) => {
    expect(skippedTestViolations(plant({ "test/a.test.ts": `${call}("x", () => {});` }))).toEqual([
      "test/a.test.ts:1",
    ]);
  });
});
