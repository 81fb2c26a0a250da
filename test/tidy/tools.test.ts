/** The linter and the step `imports` have their rules in configuration files: both fail for what these forbid. */
import { spawnSync } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findWrongImports, readImports } from "../../scripts/check/imports.mjs";
import { plantFiles, root } from "../kit/folder.js";

it("the linter finds what only its rules about Hearth forbid, but in the files that may", () => {
  const machine = "export const now = [Date.now(), new Date()];\nexport const chance = Math.random();\n";
  const environment = 'export const { env } = process;\nexport const home = () => process["env"];\n';
  const planted = plantFiles({
    "src/a.ts": `import { randomUUID } from "node:crypto";\nexport { randomUUID };\n${machine}${environment}`,
    "src/system/clock.ts": machine,
    "src/config/config.ts": environment,
    "src/b.ts":
      "export const read = (db: { query(sql: string): string }, id: string) => db.query(`select ${id}`);\n",
    "src/models/c.ts": 'export { readFileSync } from "node:fs";\nexport default 1;\n',
    "src/d.ts": `export function long(): void {${"\n".repeat(400)}}\n`,
    "test/e.test.ts": 'import { it } from "vitest";\nit.skip("x", () => undefined);\n',
  });
  for (const path of [".oxlintrc.json", "scripts/check/lint-rules.mjs"])
    cpSync(join(root, path), join(planted, path));
  symlinkSync(join(root, "node_modules"), join(planted, "node_modules"));
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const { stdout } = spawnSync(process.execPath, [oxlint, "--format=unix", "src", "test"], {
    cwd: planted,
    encoding: "utf8",
  });
  const found = [...stdout.matchAll(/^(\S+?):(\d+):.*\/((hearth|eslint)\(.+)\]$/gm)].map(
    ([, path, line, rule]) => `${path}:${line} ${rule}`,
  );
  expect(found.sort()).toEqual([
    "src/a.ts:1 hearth(chance)",
    "src/a.ts:3 hearth(time)",
    "src/a.ts:3 hearth(time)",
    "src/a.ts:4 hearth(chance)",
    "src/a.ts:5 hearth(environment)",
    "src/a.ts:6 hearth(environment)",
    "src/b.ts:1 hearth(sql)",
    "src/d.ts:1 eslint(max-lines-per-function)",
    "src/d.ts:401 eslint(max-lines)",
    "src/models/c.ts:1 eslint(no-restricted-imports)",
    "src/models/c.ts:2 eslint(no-restricted-exports)",
    "test/e.test.ts:2 hearth(every-test-runs)",
  ]);
});

it("the step `imports` finds cycles of files and of folders, imports against the layers, and cycles that are listed but gone", async () => {
  const planted = plantFiles({
    "src/core/a.ts": 'import type { B } from "./b.js"; export type A = B;',
    "src/core/b.ts": 'import type { A } from "./a.js"; export type B = A | 1;',
    "src/core/c.ts": 'export type { D } from "../store/d.js";',
    "src/store/d.ts": "export type D = 1;",
    "test/kit/e.ts": 'export { f } from "../../scripts/f.js";',
    "scripts/f.ts": "export const f = 1;",
    "test/one/g.ts": 'export { h } from "../two/h.js";',
    "test/two/h.ts": "export const h = 1;",
    "test/two/i.ts": 'export { j } from "../three/deep/j.js";',
    "test/three/deep/j.ts": "export const j = 1;",
    "test/three/k.ts": 'export * from "../one/g.js";',
  });
  const imports = await readImports(planted);
  expect([...findWrongImports(imports, ["src/{x,y}"])].sort()).toEqual([
    "core-imports-nothing: src/core/c.ts -> src/store/d.ts",
    "cycle of folders: test/{one,three,two}",
    "kit-imports-src: test/kit/e.ts -> scripts/f.ts",
    "no cycle of folders any more; remove it from the list: src/{x,y}",
    "no-cycle: src/core/a.ts -> src/core/b.ts -> src/core/a.ts",
  ]);
});
