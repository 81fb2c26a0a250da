import { spawnSync } from "node:child_process";
import {
  accessSync,
  appendFileSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));

const settings = {
  extends: join(repository, "tsconfig.json"),
  // Without Node's types tsc takes half the time.
  compilerOptions: { types: [], rootDir: "src", outDir: "dist", tsBuildInfoFile: "dist/.tsbuildinfo" },
  include: ["src"],
};

const program = `#!/usr/bin/env node
declare const process: { stdout: { write(text: string): void } };
process.stdout.write("ready\\n");
`;

/** Creates a small project with the repository's build script and settings. */
function project(): string {
  const root = mkdtempSync(join(tmpdir(), "hearth-build-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ["scripts", "src"]) mkdirSync(join(root, folder));
  for (const file of ["package.json", "scripts/build.mjs"])
    copyFileSync(join(repository, file), join(root, file));
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify(settings));
  writeFileSync(join(root, "src/main.ts"), program);
  writeFileSync(join(root, "src/sample.ts"), "export const sample = 1;\n");
  return root;
}

function build(root: string): { status: number | null; output: string } {
  const child = spawnSync(process.execPath, [join(root, "scripts/build.mjs"), "--if-stale"], {
    encoding: "utf8",
  });
  return { status: child.status, output: child.stdout + child.stderr };
}

const clean = { status: 0, output: "" };

describe("scripts/build.mjs --if-stale", () => {
  it("builds a program that can be executed directly", () => {
    const root = project();
    expect(build(root)).toEqual(clean);
    accessSync(join(root, "dist/main.js"), constants.X_OK);
    expect(spawnSync(join(root, "dist/main.js"), { encoding: "utf8" }).stdout).toBe("ready\n");
  });

  it("does not touch dist while nothing has changed, and builds again when a source has changed", () => {
    const root = project();
    build(root);
    const sample = join(root, "dist/sample.js");
    appendFileSync(sample, "// mark");
    expect(build(root)).toEqual(clean);
    expect(readFileSync(sample, "utf8")).toContain("// mark");
    writeFileSync(join(root, "src/sample.ts"), "export const sample = 2;\n");
    expect(build(root)).toEqual(clean);
    expect(readFileSync(sample, "utf8")).toContain("sample = 2");
  });

  it("removes the output of a deleted source and restores missing output", () => {
    const root = project();
    build(root);
    rmSync(join(root, "src/sample.ts"));
    rmSync(join(root, "dist/main.js"));
    expect(build(root)).toEqual(clean);
    expect(existsSync(join(root, "dist/sample.js"))).toBe(false);
    expect(existsSync(join(root, "dist/main.js"))).toBe(true);
  });

  it("copies the parts of web pages and the guides, and removes those whose source is deleted", () => {
    const root = project();
    mkdirSync(join(root, "src/page"));
    const parts = ["page.html", "page.css", "page.js", "guide.md", "picture.svg"].map((name) =>
      join("page", name),
    );
    for (const part of parts) writeFileSync(join(root, "src", part), `/* ${part} */`);
    expect(build(root)).toEqual(clean);
    for (const part of parts) expect(readFileSync(join(root, "dist", part), "utf8")).toBe(`/* ${part} */`);
    appendFileSync(join(root, "src/page/page.css"), "b {}");
    for (const gone of ["page.js", "guide.md", "picture.svg"]) rmSync(join(root, "src/page", gone));
    expect(build(root)).toEqual(clean);
    expect(readFileSync(join(root, "dist/page/page.css"), "utf8")).toContain("b {}");
    for (const gone of ["page.js", "guide.md", "picture.svg"])
      expect(existsSync(join(root, "dist/page", gone))).toBe(false);
    expect(existsSync(join(root, "dist/main.js"))).toBe(true);
  });

  it("reports a type error and fails until it is fixed", () => {
    const root = project();
    writeFileSync(join(root, "src/sample.ts"), 'export const sample: number = "1";\n');
    for (const attempt of [build(root), build(root)]) {
      expect(attempt.status).toBe(1);
      expect(attempt.output).toContain("src/sample.ts(1,14)");
    }
    writeFileSync(join(root, "src/sample.ts"), "export const sample: number = 1;\n");
    expect(build(root)).toEqual(clean);
  });

  it("rejects a program without a shebang", () => {
    const root = project();
    writeFileSync(join(root, "src/main.ts"), "export {};\n");
    expect(build(root)).toEqual({
      status: 1,
      output: "build failed: src/main.ts must begin with #!/usr/bin/env node\n",
    });
  });

  it("ignores the lock of a build that died", () => {
    const root = project();
    mkdirSync(join(root, "dist"));
    // The id of a process that has ended.
    const { pid } = spawnSync(process.execPath, ["--version"]);
    writeFileSync(join(root, "dist/.building"), String(pid));
    expect(build(root)).toEqual(clean);
    expect(existsSync(join(root, "dist/.building"))).toBe(false);
  });
});
