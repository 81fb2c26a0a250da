import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root, temporaryFolder } from "../kit/folder.js";

const version = "7.8.9";
const changelog = `# Changelog\n\n## [Unreleased]\n\n## [${version}]\n\n- All is new.\n\n## [0.1.0]\n`;
const settings = {
  extends: join(root, "tsconfig.json"),
  compilerOptions: { types: [], rootDir: "src", outDir: "dist", tsBuildInfoFile: "dist/.tsbuildinfo" },
  include: ["src"],
};
/** Git without the settings of the person who runs the tests. */
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

function run(cwd: string, program: string, ...args: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: environment, encoding: "utf8" });
  return { status, text: `${stdout}${stderr}` };
}

/** Creates a repository with the release script and a small program. @param testScript what `npm test` runs */
function repository(testScript = "node -e 0"): string {
  const folder = temporaryFolder();
  for (const name of ["package.json", "package-lock.json", "scripts", ".gitignore", ".npmrc"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  manifest.scripts["test"] = testScript;
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, "CHANGELOG.md"), changelog);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/main.ts"), "#!/usr/bin/env node\nexport const sample = 1;\n");
  // .gitignore has `node_modules`, which matches a link, too.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
    ["commit", "--quiet", "-m", "first"],
  ])
    expect(run(folder, "git", ...args)).toEqual({ status: 0, text: "" });
  return folder;
}

const release = (folder: string, ...args: string[]) =>
  run(folder, process.execPath, "scripts/release.mjs", ...args);
const git = (folder: string, ...args: string[]) => run(folder, "git", ...args).text.trim();
const versionOf = (folder: string, file: string) =>
  (JSON.parse(readFileSync(join(folder, file), "utf8")) as { version: string }).version;

/** Returns the files of a release, after their checksums have been verified. */
function verifiedFiles(folder: string): string[] {
  const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split("\n");
  for (const [hash = "", name = ""] of sums.map((line) => line.split("  ")))
    expect(
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ).toBe(hash);
  expect(sums.length).toBe(readdirSync(folder).length - 1);
  return readdirSync(folder).toSorted();
}

describe("npm run release", () => {
  it("makes the files in a dry run, and changes neither version, commits nor tags", () => {
    const folder = repository("node -e 'process.exit(1)'");
    const before = git(folder, "rev-parse", "HEAD");
    const { status, text } = release(folder, version, "--dry-run");
    expect(`${status} ${text}`).toMatch(/^0 [^]*dry run: /);
    const current = versionOf(root, "package.json");
    expect(verifiedFiles(join(folder, `release/${version}-dry-run`))).toEqual(
      ["SHA256SUMS", `hearth-${current}.cdx.json`, `hearth-${current}.tgz`].toSorted(),
    );
    expect([
      git(folder, "rev-parse", "HEAD"),
      git(folder, "tag"),
      git(folder, "status", "--porcelain"),
    ]).toEqual([before, "", ""]);
  });

  it("tests, sets the version, commits and tags", () => {
    const folder = repository();
    const { status, text } = release(folder, version);
    expect(`${status} ${text}`).toMatch(/^0 [^]*Nothing has been pushed\.\n/);
    expect(verifiedFiles(join(folder, "release", version))).toEqual(
      ["SHA256SUMS", `hearth-${version}.cdx.json`, `hearth-${version}.tgz`].toSorted(),
    );
    expect(["package.json", "package-lock.json"].map((file) => versionOf(folder, file))).toEqual([
      version,
      version,
    ]);
    expect(git(folder, "log", "-1", "--format=%s")).toBe(`release: ${version}`);
    expect(git(folder, "rev-parse", `v${version}^{commit}`)).toBe(git(folder, "rev-parse", "HEAD"));
    expect(git(folder, "status", "--porcelain")).toBe("");
  });

  it("stops where a test fails, with everything as before", () => {
    const folder = repository("node -e 'process.exit(1)'");
    expect(release(folder, version).status).toBe(1);
    expect(git(folder, "tag")).toBe("");
    expect(git(folder, "status", "--porcelain")).toBe("");
  });

  it("refuses changed files, a version that exists or is older, and one without entries in the changelog", () => {
    const folder = repository();
    expect(release(folder, "7.8.10")).toEqual({
      status: 1,
      text: 'CHANGELOG.md has no entries under "## [7.8.10]": rename "## [Unreleased]" and begin a new one\n',
    });
    expect(release(folder, "0.0.1").text).toContain("0.0.1 is older than ");
    git(folder, "tag", `v${version}`);
    expect(release(folder, version).text).toBe(`the tag v${version} exists\n`);
    writeFileSync(join(folder, "new.txt"), "");
    expect(release(folder, version, "--dry-run").text).toContain(
      "files have changed; commit them first:\n?? new.txt",
    );
  });

  it.each([[[]], [["1.2"]], [["v1.2.3"]], [["1.2.3", "--force"]]])("shows its usage for %j", (args) => {
    expect(run(root, process.execPath, "scripts/release.mjs", ...args)).toEqual({
      status: 2,
      text: "usage: npm run release -- X.Y.Z [--dry-run]\n",
    });
  });
});
