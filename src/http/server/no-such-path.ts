import { HearthError } from "../../core/errors.js";
import type { Route } from "./route.js";

/** The error of a path that does not exist. @param meant the route that the client may have meant; absent or null: none */
export function noSuchPath(meant: Route | null = null): HearthError {
  const sentence = "This server has no such path.";
  if (meant === null) return new HearthError("not_found", sentence);
  const path = meant.path.replace(/[:*](\w+)/g, "{$1}");
  return new HearthError("not_found", `${sentence} The path is ${path}: check the base URL of the client.`);
}
