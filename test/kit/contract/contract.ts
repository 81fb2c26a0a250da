/**
 * Checks real responses against the OpenAPI document: every status, body and event of a server with these routes. It only
 * observes and does not change what the reader gets.
 */
import type { OpenApiDocument } from "../../../src/http/about/openapi/document.js";
import {
  failureName,
  openapiPath,
  type MediaType,
  type OpenApiResponse,
} from "../../../src/http/about/openapi/operation.js";
import type { Route } from "../../../src/http/server/route.js";
import { checkEvents } from "./event-check.js";
import { observeResponse } from "./looked-at.js";
import { createChecks, type Check } from "./validators.js";

export interface Contract {
  /** Returns the same response, checked while it is read. */
  watch(method: string, path: string, response: Response): Response;
}

/**
 * Creates the contract of a server with these routes; `report` is called for each response that violates it.
 * @param document the OpenAPI document of the routes
 */
export function createContract(
  routes: readonly Route[],
  document: OpenApiDocument,
  report: (problem: string) => void,
): Contract {
  const checkAt = createChecks(document);
  const find = createFinder(routes);
  return {
    watch(method, path, response) {
      const name = `${method} ${path} ${response.status}`;
      const tell = (problems: readonly string[]): void => {
        if (problems.length > 0) report(`${name} is not as /openapi.json says:\n  ${problems.join("\n  ")}`);
      };
      const routed = find(method, path);
      const place = routed === null ? errorPlace(routes, path) : placeOf(routed, response.status);
      if (place === null) {
        tell(["this status is not there"]);
        return response;
      }
      if (response.body === null || method === "HEAD") return response;
      const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
      const media = valueAt(document, [...place, "content", type]) as MediaType | undefined;
      if (media === undefined) {
        tell([`the content type '${type}' is not there`]);
        return response;
      }
      const check = checkAt([...place, "content", type, "schema"]);
      const form = media["x-hearth-stream"];
      if (form !== undefined) return observeResponse(response, response.body, checkEvents(form, check, tell));
      return type === "application/json"
        ? observeResponse(response, response.body, checkJson(check, tell))
        : response;
    },
  };

  function placeOf(route: Route, status: number): readonly string[] | null {
    const place = ["paths", openapiPath(route), route.method.toLowerCase(), "responses", String(status)];
    const found = valueAt(document, place) as OpenApiResponse | { readonly $ref: string } | undefined;
    if (found === undefined) return null;
    return "$ref" in found ? found.$ref.split("/").slice(1) : place;
  }
}

/**
 * Without a matching route, errors have the format of the nearest parent route, or the one that all routes of its API share.
 * Every route has the 500 of its dialect.
 */
function errorPlace(routes: readonly Route[], path: string): readonly string[] {
  const above = routes.filter((route) => `${path}/`.startsWith(`${route.path}/`));
  const siblings = (parts: number) => {
    const plane = (of: string) => of.split("/").slice(0, parts).join("/");
    return routes.filter((route) => plane(route.path) === plane(path));
  };
  const shared = [siblings(2), siblings(3)].map(
    (all) => all.find(({ errors }) => all.every((other) => other.errors === errors))?.errors,
  );
  const words =
    above.find(({ errors }) => errors !== "openai")?.errors ??
    shared.find((errors) => errors !== undefined) ??
    "openai";
  return ["components", "responses", failureName(words, 500)];
}

function checkJson(check: Check, report: (problems: readonly string[]) => void) {
  const decoder = new TextDecoder();
  let text = "";
  return {
    bytes: (chunk: Uint8Array): void => void (text += decoder.decode(chunk, { stream: true })),
    end(): void {
      try {
        report(check(JSON.parse(text)));
      } catch (thrown) {
        if (!(thrown instanceof SyntaxError)) throw thrown;
        report([`the body is not JSON: ${text.slice(0, 200)}`]);
      }
    },
  };
}

/** Finds the route of a request as the router does: the first row that matches; a trailing slash is ignored. */
function createFinder(routes: readonly Route[]): (method: string, path: string) => Route | null {
  const rows = routes.map((route) => ({ route, pattern: patternOf(route) }));
  return (method, path) => {
    const routedMethod = method === "HEAD" ? "GET" : method;
    const routed = rows.find(({ route, pattern }) => route.method === routedMethod && pattern.test(path));
    return routed?.route ?? null;
  };
}

function patternOf({ path }: Route): RegExp {
  const source = path
    .replace(/[.+?^$()[\]\\]/g, "\\$&")
    .replace(/:\w+/g, "[^/]+")
    .replace(/\*\w+/g, ".+");
  return new RegExp(`^${source}/?$`);
}

function valueAt(value: unknown, place: readonly string[]): unknown {
  return place.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null ? (at as Readonly<Record<string, unknown>>)[key] : undefined,
    value,
  );
}
