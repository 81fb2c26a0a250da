/** Rule 1: the URL is the file path. */
import { sourceFiles } from "./source-files.js";

/** The tables of routes. */
const tables = /^src\/http\/((responses|batches|management|ollama|console)\/)?routes\.ts$/;

/** First parts of URLs whose routes have a folder of that name. */
const planes = ["v1", "auth", "audit", "api", "console/api"];

/**
 * Returns the files of these folders without a route in the tables, and the routes without a file. A route's file is its URL without
 * parameters, underscores turned into hyphens: `/v1/models` and `/v1/models/*id` share `src/http/v1/models.ts`.
 */
export function findRouteViolations(root: string): readonly string[] {
  const files = planes.flatMap((plane) => sourceFiles(root, `src/http/${plane}`, /\.ts$/));
  const paths = new Set(files.map(({ path }) => path));
  const urls = listUrls(root);
  const served = new Set(urls.map(toFile));
  return [
    ...[...paths].filter((path) => !served.has(path)).map((path) => `${path} has no route`),
    ...urls.filter((url) => !paths.has(toFile(url))).map((url) => `${url} has no ${toFile(url)}`),
  ];
}

function listUrls(root: string): readonly string[] {
  const quoted = new RegExp(`(?<=")/(${planes.join("|")})/[^"]+(?=")`, "g");
  return sourceFiles(root, "src/http", /^routes\.ts$/)
    .filter(({ path }) => tables.test(path))
    .flatMap(({ text }) => text.match(quoted) ?? []);
}

function toFile(url: string): string {
  const parts = url.split("/").filter((part) => part !== "" && !/^[:{*]/.test(part));
  return `src/http/${parts.join("/").replaceAll("_", "-")}.ts`;
}
