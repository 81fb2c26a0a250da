import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/config.js";
import { root } from "../kit/folder.js";

/** The files that a server is installed with. */
const files = [
  "Dockerfile",
  "compose.yaml",
  ...readdirSync(join(root, "packaging"), { recursive: true, encoding: "utf8" })
    .map((file) => join("packaging", file))
    .filter((file) => statSync(join(root, file)).isFile()),
];

/** Returns whether the server knows a variable; its value is not looked at. */
function isKnown(variable: string): boolean {
  // It names the file of the settings, and is none itself.
  if (variable === "HEARTH_CONFIG") return true;
  try {
    loadConfig({ [variable]: "" }, null);
    return true;
  } catch (thrown) {
    if (!/unknown environment variable/.test(String(thrown))) throw thrown;
    return false;
  }
}

it.each(files)("%s names only variables that the server knows, and guides that exist", (file) => {
  const text = readFileSync(join(root, file), "utf8");
  const variables = new Set(text.match(/\bHEARTH_[A-Z][A-Z_]*(?<!_)\b/g) ?? []);
  expect([...variables].filter((variable) => !isKnown(variable))).toEqual([]);
  const guides = text.match(/\bsrc\/docs\/[\w-]+\.md\b/g) ?? [];
  expect(guides.filter((guide) => !existsSync(join(root, guide)))).toEqual([]);
});

it("a variable that the server does not know is found", () => {
  expect(["HEARTH_PORT", "HEARTH_CONFIG", "HEARTH_PROT"].map(isKnown)).toEqual([true, true, false]);
});
