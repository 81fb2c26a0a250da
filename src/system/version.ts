import { readFileSync } from "node:fs";

/** Not parsed with a schema: it is part of the program, and `hearth --version` loads nothing else. */
const { version: ownVersion, dependencies } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { readonly version: string; readonly dependencies: { readonly "node-llama-cpp": string } };

/** The version in package.json. */
export const version: string = ownVersion;

/** The engine's build: its library's version, which is pinned exactly. */
export const engineBuild = `node-llama-cpp ${dependencies["node-llama-cpp"]}`;

/** The version of the engine's library alone. */
export const engineVersion: string = dependencies["node-llama-cpp"];
