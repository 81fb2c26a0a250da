/** Where llama-server is. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../../../node_modules/node-llama-cpp/llama/", import.meta.url));

/** Returns the Git bundle of llama.cpp's source. */
export function sourceBundle() {
  return join(source, "gitRelease.bundle");
}

/** Returns the path of the program that `npm run build:llama-server` makes, which may not be there; each release has its own. */
export function cachedProgram() {
  const { release } = JSON.parse(readFileSync(join(source, "binariesGithubRelease.json"), "utf8"));
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "hearth", `llama-server-${release}`, "llama-server");
}

/** Returns the path of the program, which LLAMA_SERVER may name; null when there is no such file. */
export function llamaServerProgram() {
  const named = process.env["LLAMA_SERVER"] ?? "";
  const program = named === "" ? cachedProgram() : named;
  return existsSync(program) ? program : null;
}
