/** Rule 1: the URL is the file path. */
import ts from "typescript";
import { sourceFiles, visitNodes } from "./source-files.js";

/** The table of routes, and its parts for responses, for the management routes for Ollama's interface and for the console. */
const tables = [
  "src/http/routes.ts",
  "src/http/responses/routes.ts",
  "src/http/batches/routes.ts",
  "src/http/management/routes.ts",
  "src/http/ollama/routes.ts",
  "src/http/console/routes.ts",
];

/** First parts of URLs whose routes have a folder of that name. */
const planes = ["v1", "auth", "audit", "api", "console/api"];

/**
 * Files of src/http/v1/, src/http/auth/ and src/http/audit/ without a route in the tables, and such routes
 * there without a file. A route's file is its URL without parameters, underscores turned into hyphens:
 * `/v1/chat/completions` is `v1/chat/completions.ts`, and `/v1/models` and `/v1/models/*id` share `v1/models.ts`.
 */
export function routeViolations(root: string): string[] {
  const files = planes.flatMap((plane) => sourceFiles(root, `src/http/${plane}`)).map((file) => file.path);
  const routes = routesOf(root).map((url) => ({ url, file: fileOf(url) }));
  const served = new Set(routes.map((route) => route.file));
  const unserved = files.filter((file) => !served.has(file)).map((file) => `${file} has no route`);
  const lost = routes
    .filter((route) => !files.includes(route.file))
    .map(({ url, file }) => `${url} has no ${file}`);
  return [...unserved, ...lost];
}

function routesOf(root: string): string[] {
  const urls = new Set<string>();
  for (const file of sourceFiles(root, "src/http").filter(({ path }) => tables.includes(path)))
    visitNodes(file, (node) => {
      if (ts.isStringLiteralLike(node) && planes.some((plane) => node.text.startsWith(`/${plane}/`)))
        urls.add(node.text);
    });
  return [...urls];
}

function fileOf(url: string): string {
  const parts = url.split("/").filter((part) => part !== "" && !/^[:{*]/.test(part));
  return `src/http/${parts.join("/").replaceAll("_", "-")}.ts`;
}
