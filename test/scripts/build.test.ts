import { spawnSync } from "node:child_process";
import {
  accessSync,
  appendFileSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));

const settings = {
  extends: join(repository, "tsconfig.json"),
  // Without Node's types tsc takes half the time.
  compilerOptions: { types: [], rootDir: "src", outDir: "dist", tsBuildInfoFile: "dist/.tsbuildinfo" },
  include: ["src"],
};

const program = `#!/usr/bin/env node
import { sample } from "./sample.js";
declare const process: { stdout: { write(text: string): void } };
process.stdout.write("ready " + String(sample) + "\\n");
`;

/** Creates a small project with the repository's build script and settings. */
function project(): string {
  const root = mkdtempSync(join(tmpdir(), "hearth-build-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ["scripts/build", "src"]) mkdirSync(join(root, folder), { recursive: true });
  const scripts = ["build.mjs", "build/bundle.mjs", "build/console.mjs", "build/media.mjs"].map(
    (name) => `scripts/${name}`,
  );
  for (const file of ["package.json", ...scripts]) copyFileSync(join(repository, file), join(root, file));
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

/** Returns what the built program prints. */
function run(root: string): string {
  return spawnSync(join(root, "dist/main.js"), { encoding: "utf8" }).stdout;
}

const clean = { status: 0, output: "" };

describe("scripts/build.mjs --if-stale", () => {
  it("builds a program that can be executed directly", () => {
    const root = project();
    expect(build(root)).toEqual(clean);
    accessSync(join(root, "dist/main.js"), constants.X_OK);
    expect(run(root)).toBe("ready 1\n");
  });

  it("does not touch dist while nothing has changed, and builds again when a source has changed", () => {
    const root = project();
    build(root);
    const main = join(root, "dist/main.js");
    appendFileSync(main, "// mark");
    expect(build(root)).toEqual(clean);
    expect(readFileSync(main, "utf8")).toContain("// mark");
    writeFileSync(join(root, "src/sample.ts"), "export const sample = 2;\n");
    expect(build(root)).toEqual(clean);
    expect(run(root)).toBe("ready 2\n");
  });

  it("builds files in ASCII, which V8 keeps in one byte a character, and of which each character means the same", () => {
    const root = project();
    const sample = '[/^[。◁]$/u.test("◁"), "｜é", `𝄞`].join(" ")';
    writeFileSync(join(root, "src/sample.ts"), `export const sample = ${sample};\n`);
    expect(build(root)).toEqual(clean);
    expect(run(root)).toBe("ready true ｜é 𝄞\n");
    expect(readFileSync(join(root, "dist/main.js"), "utf8")).toMatch(/^[\0-\x7f]+$/);
  });

  it("has made the program in ASCII, packages included, without a placeholder of a folder", () => {
    const dist = join(repository, "dist");
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) =>
      /^(chunks|cli|engine|main)\b.*\.js$/.test(file),
    );
    const texts = files.map((file) => [file, readFileSync(join(dist, file), "utf8")] as const);
    expect(files.length).toBeGreaterThan(20);
    expect(texts.filter(([, text]) => !/^[\0-\x7f]+$/.test(text)).map(([file]) => file)).toEqual([]);
    expect(texts.filter(([, text]) => text.includes("PATH-TO")).map(([file]) => file)).toEqual([]);
  });

  it("removes the output of a deleted source and restores missing output", () => {
    const root = project();
    writeFileSync(join(root, "src/worker.ts"), "export {};\n");
    build(root);
    expect(existsSync(join(root, "dist/worker.js"))).toBe(true);
    rmSync(join(root, "src/worker.ts"));
    rmSync(join(root, "dist/main.js"));
    expect(build(root)).toEqual(clean);
    expect(existsSync(join(root, "dist/worker.js"))).toBe(false);
    expect(existsSync(join(root, "dist/main.js"))).toBe(true);
  });

  it("shares what several programs import, and each module finds what lies beside its own output", () => {
    const root = project();
    mkdirSync(join(root, "src/deep/er"), { recursive: true });
    writeFileSync(
      join(root, "src/deep/er/place.ts"),
      'declare global { interface ImportMeta { readonly url: string } }\ndeclare const URL: new (name: string, base: string) => { href: string };\nexport const place = new URL("./part.md", import.meta.url).href;\n',
    );
    const worker = `import { place } from "./deep/er/place.js";\ndeclare const console: { log(text: string): void };\nconsole.log(place);\n`;
    writeFileSync(join(root, "src/worker.ts"), worker);
    writeFileSync(join(root, "src/deep/worker.ts"), worker.replace("./deep", "."));
    expect(build(root)).toEqual(clean);
    for (const file of ["worker.js", "deep/worker.js"]) {
      const { stdout } = spawnSync(process.execPath, [join(root, "dist", file)], { encoding: "utf8" });
      expect(stdout).toBe(`${pathToFileURL(join(root, "dist/deep/er/part.md")).href}\n`);
      expect(readFileSync(join(root, "dist", file), "utf8")).not.toContain("part.md");
    }
  });

  it("puts the packages that it imports into the bundle, with their licenses, and leaves no language of zod but English", () => {
    const root = project();
    writeFileSync(
      join(root, "src/sample.ts"),
      'import { z } from "zod";\nconst parsed = z.object({ number: z.number() }).safeParse({ number: "one" });\nexport const sample = parsed.error?.issues[0]?.message;\n',
    );
    expect(build(root)).toEqual(clean);
    rmSync(join(root, "node_modules"));
    expect(run(root)).toBe("ready Invalid input: expected number, received string\n");
    expect(readFileSync(join(root, "dist/main.js"), "utf8")).not.toContain("locales/de.js");
    expect(readFileSync(join(root, "dist/third-party-licenses.txt"), "utf8")).toMatch(
      /^zod 4\.\d+\.\d+ \(MIT\)$/m,
    );
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
    const wrong = 'export const sample: number = "1";\n';
    writeFileSync(join(root, "src/sample.ts"), wrong);
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
