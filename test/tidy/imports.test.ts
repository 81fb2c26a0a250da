import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importRules, importViolations } from "./imports.js";
import { plant } from "./plant.js";

describe("import rules", () => {
  /** For each rule of .dependency-cruiser.cjs: imports that it must refuse. */
  const forbidden: Record<string, [from: string, to: string][]> = {
    "no-cycle": [["store/a.ts", "store/b.ts"]],
    "core-imports-nothing": [
      ["core/a.ts", "engine/b.ts"],
      ["core/a.ts", "node:fs"],
      ["core/a.ts", "zod"],
    ],
    "dialects-imports-downward": [["dialects/sse.ts", "engine/b.ts"]],
    "engine-imports-downward": [["engine/llama/a.ts", "scheduler/b.ts"]],
    "grammar-imports-downward": [["grammar/a.ts", "engine/b.ts"]],
    "scheduler-imports-downward": [["scheduler/a.ts", "engine/b.ts"]],
    "telemetry-imports-downward": [["telemetry/a.ts", "http/b.ts"]],
    "store-imports-downward": [["store/a.ts", "accounts/b.ts"]],
    "accounts-imports-downward": [["accounts/keys/a.ts", "inference/b.ts"]],
    "models-imports-downward": [["models/a.ts", "engine/b.ts"]],
    "inference-imports-downward": [
      ["inference/run/a.ts", "models/b.ts"],
      ["inference/run/a.ts", "jobs/b.ts"],
    ],
    "jobs-imports-downward": [["jobs/a.ts", "http/b.ts"]],
    "dialects-never-meet": [["dialects/openai-chat/a.ts", "dialects/anthropic-messages/b.ts"]],
    "dialects-root-imports-no-dialect": [["dialects/sse.ts", "dialects/openai-chat/b.ts"]],
    "pure-folders-touch-no-node": [["grammar/a.ts", "node:fs"]],
    "http-imports-downward": [
      ["http/a.ts", "store/b.ts"],
      ["http/v1/a.ts", "config.ts"],
    ],
    "console-imports-types-only": [["console/a.ts", "core/b.ts"]],
    "nothing-imports-the-console": [["http/a.ts", "console/b.ts"]],
    "top-files-import-core": [["config.ts", "http/b.ts"]],
    "app-imports-downward": [
      ["app/app.ts", "cli/b.ts"],
      ["app/a.ts", "main.ts"],
    ],
    "app-has-one-entrance": [
      ["cli/a.ts", "app/b.ts"],
      ["http/a.ts", "app/b.ts"],
    ],
    "cli-imports-app": [["cli/a.ts", "store/b.ts"]],
    "cli-takes-no-service-of-accounts": [["cli/a.ts", "accounts/b.ts"]],
    "main-imports-app-and-cli": [["main.ts", "http/b.ts"]],
    "nobody-imports-main": [["app/app.ts", "main.ts"]],
    "only-known-folders": [["elsewhere/a.ts", "core/b.ts"]],
    "sql-stays-in-store": [["accounts/a.ts", "kysely"]],
    "src-imports-only-src": [["app/app.ts", "../test/b.ts"]],
    "imports-resolve": [["app/app.ts", "./nowhere.ts"]],
  };

  it("has a planted violation for every rule", () => {
    expect(Object.keys(forbidden).sort()).toEqual([...importRules].sort());
  });

  it.each(
    Object.entries(forbidden).flatMap(([rule, cases]) => cases.map(([from, to]) => ({ rule, from, to }))),
  )("$rule: refuses $from -> $to", async ({ rule, from, to }) => {
    const found = await importViolations(plant(importing(from, to, rule === "no-cycle")));
    expect(found.filter((line) => line.startsWith(`${rule}: src/${from} -> `))).toHaveLength(1);
  });

  it("sees an import that brings only a type", async () => {
    const root = plant({
      "src/core/a.ts": `import type { B } from "../engine/b.js"; export type A = B;`,
      "src/engine/b.ts": "export type B = 1;",
    });
    expect(await importViolations(root)).toEqual(["core-imports-nothing: src/core/a.ts -> src/engine/b.ts"]);
  });

  it("lets cli take a type of accounts", async () => {
    const root = plant({
      "src/cli/a.ts": `import type { B } from "../accounts/b.js"; export type A = B;`,
      "src/accounts/b.ts": "export type B = 1;",
    });
    expect(await importViolations(root)).toEqual([]);
  });

  it.each([
    ["dialects/openai-chat/a.ts", "dialects/sse.ts"],
    ["engine/a.ts", "grammar/b.ts"],
    ["http/v1/a.ts", "dialects/openai-chat/b.ts"],
    ["app/app.ts", "store/b.ts"],
    ["app/app.ts", "app/b.ts"],
    ["app/a.ts", "engine/b.ts"],
    ["cli/a.ts", "app/app.ts"],
    ["accounts/keys/a.ts", "store/b.ts"],
    ["jobs/a.ts", "dialects/openai-chat/b.ts"],
    ["main.ts", "cli/b.ts"],
  ])("lets %s import %s", async (from, to) => {
    expect(await importViolations(plant(importing(from, to, false)))).toEqual([]);
  });
});

/** A tree in which one file of src imports another, or a package, and, if asked, is imported by it in turn. */
function importing(from: string, to: string, back: boolean): Record<string, string> {
  const up = "../".repeat(from.split("/").length - 1) || "./";
  const isFile = to.endsWith(".ts") && !to.startsWith("./");
  const specifier = isFile ? `${up}${to.replace(/\.ts$/, ".js")}` : to.replace(/\.ts$/, ".js");
  const tree: Record<string, string> = {
    [`src/${from}`]: `import { b } from "${specifier}"; export const a = b;`,
  };
  const answer = back ? `import { a } from "./a.js"; export const b = a;` : "export const b = 1;";
  if (isFile) tree[join("src", to)] = answer;
  return tree;
}
