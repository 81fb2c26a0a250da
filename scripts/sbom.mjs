/**
 * `npm run sbom -- FILE`: writes the bill of materials (CycloneDX 1.6, JSON) into a file, without one to standard output. Exit codes:
 * 0 written, 1 a package has no license or no SHA-512.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { billOfMaterials } from "./release/sbom.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = process.argv[2];

try {
  /** @type {{ packages: import("./release/sbom.mjs").Packages }} */
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const json = `${JSON.stringify(billOfMaterials(packages, new Date()), null, 2)}\n`;
  if (file === undefined) process.stdout.write(json);
  else writeFileSync(file, json);
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = 1;
}
