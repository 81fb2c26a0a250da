/** The steps of a release that run no program. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns what speaks against a release.
 * @param {string} version
 * @param {{ changed: string, tags: string[], current: string, changelog: string }} state changed: the output of git status;
 *   current: the version in package.json
 * @returns {string[]}
 */
export function findProblems(version, { changed, tags, current, changelog }) {
  const problems = [];
  if (changed !== "") problems.push(`files have changed; commit them first:\n${changed}`);
  if (tags.includes(`v${version}`)) problems.push(`the tag v${version} exists`);
  if (compare(version, current) < 0)
    problems.push(`${version} is older than ${current}, the version in package.json`);
  if (readSection(changelog, version) === "")
    problems.push(
      `CHANGELOG.md has no entries under "## [${version}]": rename "## [Unreleased]" and begin a new one`,
    );
  return problems;
}

/**
 * Compares the numbers of two versions.
 * @param {string} a
 * @param {string} b
 */
function compare(a, b) {
  const [left, right] = [a, b].map((version) => (version.split("-")[0] ?? "").split(".").map(Number));
  for (const at of [0, 1, 2]) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * @param {string} changelog
 * @param {string} version
 */
function readSection(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${version}]`)) ?? "";
  return section.split("\n").slice(1).join("\n").trim();
}

/**
 * Returns package.json or package-lock.json with another version of Hearth; nothing else changes.
 * @param {string} json
 * @param {string} version
 */
export function withVersion(json, version) {
  const content = JSON.parse(json);
  content.version = version;
  if (content.packages?.[""] !== undefined) content.packages[""].version = version;
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Returns the lines that `sha256sum --check` reads. @param {string} folder */
export function checksums(folder) {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const hash = createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex");
      return `${hash}  ${name}\n`;
    })
    .join("");
}
