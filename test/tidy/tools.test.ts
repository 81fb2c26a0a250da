/** The step `imports` has its rules in a configuration file: it fails for what they forbid. */
import { expect, it } from "vitest";
import { findWrongImports, readImports } from "../../scripts/check/imports.mjs";
import { plantFiles } from "../kit/folder.js";

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
