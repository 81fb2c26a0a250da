import { readFileSync } from "node:fs";
import { z } from "zod";

const packageFile = z.object({
  version: z.string(),
  dependencies: z.object({ "node-llama-cpp": z.string() }),
});

const { version: ownVersion, dependencies } = packageFile.parse(
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")),
);

/** The version in package.json. */
export const version: string = ownVersion;

/** The engine's build: its library's version, which is pinned exactly. */
export const engineBuild = `node-llama-cpp ${dependencies["node-llama-cpp"]}`;

/** The version of the engine's library alone. */
export const engineVersion: string = dependencies["node-llama-cpp"];
