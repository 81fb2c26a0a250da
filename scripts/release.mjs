/**
 * `npm run release -- X.Y.Z`: tests, sets the version, packs, writes checksums and the bill of materials into release/X.Y.Z, commits and
 * tags. It pushes and publishes nothing. `--dry-run` makes the same files from the present version in release/X.Y.Z-dry-run, without
 * tests, commit and tag. Exit codes: 0 done, 1 a check or step failed, 2 wrong usage.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checksums, findProblems, withVersion } from "./release/steps.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

process.exitCode = main(process.argv.slice(2));

/** @param {string[]} args */
function main(args) {
  const isDryRun = args.includes("--dry-run");
  const [version = "", ...more] = args.filter((arg) => arg !== "--dry-run");
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) || more.length > 0) {
    process.stderr.write("usage: npm run release -- X.Y.Z [--dry-run]\n");
    return 2;
  }
  try {
    release(version, isDryRun);
    return 0;
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    return 1;
  }
}

/**
 * @param {string} version
 * @param {boolean} isDryRun
 * @throws {Error} that names the failed step
 */
function release(version, isDryRun) {
  const problems = findProblems(version, {
    changed: output("git", "status", "--porcelain"),
    tags: output("git", "tag", "--list").split("\n"),
    current: packageVersion(),
    changelog: readFileSync(join(root, "CHANGELOG.md"), "utf8"),
  });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const folder = join(root, "release", isDryRun ? `${version}-dry-run` : version);
  if (isDryRun) {
    makeFiles(folder);
    process.stdout.write(
      `dry run: ${folder} has the files; no tests ran, version, commit and tag are as before\n`,
    );
    return;
  }
  run("npm", "test");
  setVersion(version);
  try {
    makeFiles(folder);
    run("git", "add", "package.json", "package-lock.json");
    run("git", "commit", "--quiet", "-m", `release: ${version}`);
  } catch (thrown) {
    run("git", "checkout", "--quiet", "HEAD", "--", "package.json", "package-lock.json");
    throw thrown;
  }
  run("git", "tag", "--annotate", `v${version}`, "-m", `Hearth ${version}`);
  process.stdout.write(`${folder} has the files, and v${version} is tagged. Nothing has been pushed.\n`);
}

/** Builds and packs; writes the bill of materials and the checksums. @param {string} folder is emptied first */
function makeFiles(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(process.execPath, "scripts/build.mjs");
  run(process.execPath, "scripts/package.mjs", folder);
  run(process.execPath, "scripts/sbom.mjs", join(folder, `hearth-${packageVersion()}.cdx.json`));
  writeFileSync(join(folder, "SHA256SUMS"), checksums(folder));
}

/** @param {string} version */
function setVersion(version) {
  for (const file of ["package.json", "package-lock.json"]) {
    const path = join(root, file);
    writeFileSync(path, withVersion(readFileSync(path, "utf8"), version));
  }
}

/** @returns {string} */
function packageVersion() {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return version;
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, ...args) {
  // npm is a script on Windows, which only a shell starts.
  const shell = program === "npm" && process.platform === "win32";
  const { status } = spawnSync(program, args, { cwd: root, stdio: "inherit", shell });
  if (status !== 0) throw new Error(`failed: ${program} ${args.join(" ")}`);
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function output(program, ...args) {
  const { status, stdout } = spawnSync(program, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`failed: ${program} ${args.join(" ")}`);
  return stdout.trim();
}
