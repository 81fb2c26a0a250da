/**
 * Compiles src/engine/native/media.cpp and libmtmd, which reads images and sound, to dist/native/media.node. The source of libmtmd is in the
 * package node-llama-cpp. It needs git and a C++ compiler and takes half a minute of processor time; without them the program does without.
 * A library that is up to date is left alone.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const native = join(root, "src", "engine", "native");
export const mediaLibrary = join(root, "dist", "native", "media.node");
/** The package's folder with the source of llama.cpp, as a git bundle, and its release. */
const engine = join(root, "node_modules", "node-llama-cpp", "llama");
const stamp = join(root, "dist", ".media-built");
const definitions = ["LLAMA_SHARED", "LLAMA_BUILD", "GGML_SHARED", "GGML_BACKEND_SHARED", "NDEBUG"];
const options = [
  "-std=c++17",
  "-O2",
  "-fPIC",
  "-fvisibility=hidden",
  "-ffunction-sections",
  "-w",
  ...definitions.map((name) => `-D${name}`),
];

// `npm run build:media` shows what the compiler says.
const isProgram = process.argv[1] === fileURLToPath(import.meta.url);
if (isProgram) process.exitCode = (await buildMedia()) ? 0 : 1;

/** @returns {Promise<boolean>} whether the library is there */
export async function buildMedia() {
  if (process.platform !== "linux" || !existsSync(join(native, "media.cpp"))) return false;
  const before = fingerprint();
  if (existsSync(mediaLibrary) && existsSync(stamp) && readFileSync(stamp, "utf8") === before) return true;
  const folder = mkdtempSync(join(tmpdir(), "hearth-media-"));
  try {
    if (!(await compile(folder))) return false;
    writeFileSync(stamp, before);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
async function compile(folder) {
  const source = join(folder, "source");
  if (!(await run("git", ["clone", "--quiet", join(engine, "gitRelease.bundle"), source]))) return false;
  const mtmd = join(source, "tools", "mtmd");
  // The files of the model families are small, and compile five times as fast as one.
  const families = readdirSync(join(mtmd, "models")).filter((name) => name.endsWith(".cpp"));
  writeFileSync(join(mtmd, "all-models.cpp"), families.map((name) => `#include "models/${name}"\n`).join(""));
  const files = ["clip", "mtmd", "all-models", "mtmd-image", "mtmd-audio"].map((name) =>
    join(mtmd, `${name}.cpp`),
  );
  const includes = ["include", "ggml/include", "tools/mtmd", "src"].map((name) => `-I${join(source, name)}`);
  const waiting = [...files, join(native, "media.cpp")].map((file, at) => ({
    file,
    object: join(folder, `${at}.o`),
  }));
  const objects = waiting.map(({ object }) => object);
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (
        !(await run(compiler(), [...options, ...includes, `-I${native}`, "-c", next.file, "-o", next.object]))
      )
        return false;
    return true;
  };
  const done = await Promise.all(Array.from({ length: availableParallelism() }, worker));
  if (done.includes(false)) return false;
  mkdirSync(dirname(mediaLibrary), { recursive: true });
  const linked = `${mediaLibrary}.${process.pid}`;
  if (!(await run(compiler(), ["-shared", "-o", linked, ...objects, "-Wl,--gc-sections", "-s", "-lpthread"])))
    return false;
  renameSync(linked, mediaLibrary);
  return true;
}

function compiler() {
  return process.env["CXX"] ?? "c++";
}

function fingerprint() {
  const own = ["media.cpp", "node-api.h"].map((name) => join(native, name));
  const version = readFileSync(join(engine, "binariesGithubRelease.json"), "utf8");
  const hash = createHash("sha256").update(version);
  for (const file of [...own, fileURLToPath(import.meta.url)]) hash.update(readFileSync(file));
  return hash.digest("hex");
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<boolean>} whether it succeeded
 */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: isProgram ? "inherit" : "ignore" });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}
