import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { billOfMaterials, type Packages } from "../../scripts/release/sbom.mjs";
import { root } from "../kit/folder.js";

const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  packages: Packages;
};
const time = new Date(Date.UTC(2026, 10, 23));
const bill = billOfMaterials(packages, time);
const integrity = `sha512-${Buffer.alloc(64, 1).toString("base64")}`;

describe("npm run sbom", () => {
  it("names each package of a production install with its license and SHA-512", () => {
    expect(bill.components.length).toBeGreaterThan(100);
    const incomplete = bill.components.filter(
      ({ licenses, hashes, purl }) =>
        licenses.length !== 1 ||
        !/^[0-9a-f]{128}$/.test(hashes[0]?.content ?? "") ||
        !/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d[\w.-]*$/.test(purl),
    );
    expect(incomplete).toEqual([]);
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["koa", "better-sqlite3", "linux-arm64", "win-x64"]));
    expect(names.filter((name) => ["oxlint", "vitest", "linux-x64-cuda"].includes(name))).toEqual([]);
  });

  it("names each package once, and its dependencies by names that exist", () => {
    const refs = bill.components.map((component) => component["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    const [own, ...others] = bill.dependencies;
    expect(own?.dependsOn).toContain(refs.find((ref) => ref.startsWith("pkg:npm/koa@")));
    expect(others.map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted());
    expect(
      bill.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref)),
    ).toEqual([]);
  });

  it("has the same serial number for the same packages, and another for others", () => {
    expect(billOfMaterials(packages, new Date(0)).serialNumber).toBe(bill.serialNumber);
    expect(bill.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const more = { ...packages, "node_modules/x": { version: "1.0.0", license: "MIT", integrity } };
    expect(billOfMaterials(more, time).serialNumber).not.toBe(bill.serialNumber);
  });

  it.each([
    ["a license", { version: "1.0.0", integrity }],
    ["a SHA-512", { version: "1.0.0", license: "MIT", integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }],
  ])("fails for a package without %s, and names it", (_, entry) => {
    expect(() => billOfMaterials({ "node_modules/bad": entry }, time)).toThrow(/: node_modules\/bad$/);
  });
});
