/**
 * Builds llama-server, llama.cpp's own server, from the source that the package node-llama-cpp contains, and keeps it in the cache folder
 * of the user: `npm run build:llama-server`. It needs git, CMake and a C++ compiler, no network, and takes some minutes. Tests and the
 * benchmark of the engine use it where it is there; LLAMA_SERVER names another program.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cachedProgram, sourceBundle } from "../test/kit/doubles/llama-server/program.mjs";

const options = [
  "-DCMAKE_BUILD_TYPE=Release",
  "-DBUILD_SHARED_LIBS=OFF",
  "-DLLAMA_CURL=OFF",
  "-DLLAMA_OPENSSL=OFF",
  "-DLLAMA_BUILD_TESTS=OFF",
  "-DLLAMA_BUILD_EXAMPLES=OFF",
  ...withoutAmx(),
];

const program = cachedProgram();
if (existsSync(program)) {
  console.log(`${program} is there already; delete it to build it again`);
} else {
  build(program);
  console.log(`built ${program}`);
}

/** @param {string} program where it is to be */
function build(program) {
  const folder = mkdtempSync(join(tmpdir(), "hearth-llama-server-"));
  const source = join(folder, "source");
  const output = join(folder, "build");
  try {
    run("git", ["clone", "--quiet", sourceBundle(), source]);
    run("cmake", ["-S", source, "-B", output, ...options]);
    run("cmake", [
      "--build",
      output,
      "--target",
      "llama-server",
      "--parallel",
      String(availableParallelism()),
    ]);
    mkdirSync(dirname(program), { recursive: true });
    // When two builds run at the same time, one replaces the program of the other by the same program.
    run("cp", [join(output, "bin", "llama-server"), `${program}.${process.pid}`]);
    renameSync(`${program}.${process.pid}`, program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The program is built for this processor. Some virtual machines say that it has AMX, and do not allow its instructions: then the program
 * would end with SIGILL at its first prompt.
 */
function withoutAmx() {
  const cpuInfo = "/proc/cpuinfo";
  if (!existsSync(cpuInfo) || !/\bamx_tile\b/.test(readFileSync(cpuInfo, "utf8"))) return [];
  const flags = "-mno-amx-tile -mno-amx-int8 -mno-amx-bf16";
  return [`-DCMAKE_C_FLAGS=${flags}`, `-DCMAKE_CXX_FLAGS=${flags}`];
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  execFileSync(command, args, { stdio: ["ignore", "inherit", "inherit"] });
}
