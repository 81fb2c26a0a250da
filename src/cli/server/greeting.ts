/** What a start prints: the address, how to get a key, and a link to the console; the rest is in `hearth doctor`. */
import { existsSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import type { App, Listening } from "../../app/app.js";
import type { Config, LoadedConfig } from "../../config/config.js";

interface Started {
  readonly app: App;
  readonly listening: Listening;
  readonly sources: LoadedConfig["sources"];
  /** A link for the first owner; null when the server has one. */
  readonly ownerLink: string | null;
}

/** Three lines, and one for each thing that is out of the ordinary. A link has a line of its own, so that a terminal can open it. */
export function greeting(config: Config, started: Started): string {
  const { app, listening, sources, ownerLink } = started;
  const page = ownerLink === null ? "Console" : "Sign in";
  return [
    `listening on ${listening.url}`,
    `API key ${keyText(config, app)}  ${page}:`,
    ownerLink ?? `${app.linkBase()}/console`,
    ...pinLines(config, sources),
    ...modelLines(app),
    "",
  ].join("\n");
}

/** A key is printed only at the start that creates it, because others may see the screen later. */
function keyText(config: Config, { firstKey, firstKeyFile }: App): string {
  if (firstKey !== null) return firstKey;
  if (config.apiKey !== null) return "is pinned.";
  const another = "`hearth keys create` makes another";
  return existsSync(firstKeyFile)
    ? `in ${shortPath(firstKeyFile)}; ${another}.`
    : "is made with `hearth keys create`.";
}

function pinLines(config: Config, sources: LoadedConfig["sources"]): readonly string[] {
  const names = (["apiKey", "managementKey"] as const).filter((name) => config[name] !== null);
  if (names.length === 0) return [];
  const [verb, they] = names.length === 1 ? ["pins a key", "it ends"] : ["pin keys", "they end"];
  const until = config.pinnedKeys === "keep" ? "kept by pinnedKeys" : `${they} with the setting`;
  return [`${names.map((name) => sources[name]).join(" and ")} ${verb} with all rights; ${until}`];
}

function modelLines({ models }: App): readonly string[] {
  const all = models.list();
  const unusable = all.filter((model) => model.unusable !== null).length;
  if (unusable === all.length) return ["no model can be used: `hearth doctor` says why"];
  if (unusable === 0) return [];
  return [`${unusable} ${unusable === 1 ? "model" : "models"} cannot be used: \`hearth doctor\` says why`];
}

/** Returns a path from the working directory to what is in it; another path stays absolute. */
function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}
