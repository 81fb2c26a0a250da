/**
 * Checks an API key's ACLs against what a request needs. An ACL is `api-key:endpoint:<name>` or `api-key:model:<name>`; `*`
 * matches all names. A key without ACLs may do nothing.
 */
import type { Principal } from "./api-key.js";
import { HearthError } from "../../core/errors.js";
import type { Model } from "../../core/model.js";

/** The permissions that a request needs. */
export interface Need {
  /** Name in the endpoint's ACL; null for a route that needs none. */
  readonly endpoint: string | null;
  /**
   * The names of the model, first the one in the request: an ACL with any of them grants the model. null when the request names no
   * model. See `modelNames`.
   */
  readonly model: readonly string[] | null;
}

/** Whether the ACLs grant everything that is needed. */
export function isAllowed(acls: readonly string[], { endpoint, model }: Need): boolean {
  if (acls.length === 0) return false;
  return (
    (endpoint === null || grants(acls, "endpoint", [endpoint])) &&
    (model === null || grants(acls, "model", model))
  );
}

/** Returns the names that an ACL can have for a model. @param model what the written name leads to; null = nothing. */
export function modelNames(written: string, model: Model | null): readonly string[] {
  return model === null ? [written] : [written, model.manifest.id, ...model.manifest.aliases];
}

/** Whether the key may use the model. */
export function mayUseModel(principal: Principal, model: Model): boolean {
  return isAllowed(principal.key.acls, { endpoint: null, model: modelNames(model.manifest.id, model) });
}

/** Checks that the key may do what the request needs. @throws HearthError `permission_denied` for the endpoint or the model. */
export function authorise(principal: Principal, need: Need): void {
  const { acls } = principal.key;
  if (!isAllowed(acls, { ...need, model: null })) throw endpointDenied(need.endpoint);
  if (need.model !== null && !isAllowed(acls, need)) throw modelDenied(need.model[0] ?? "");
}

function grants(acls: readonly string[], kind: "endpoint" | "model", names: readonly string[]): boolean {
  return ["*", ...names].some((name) => acls.includes(`api-key:${kind}:${name}`));
}

/** The error repeats the name in the request, so that it does not reveal the id behind an alias, nor whether the model exists. */
function modelDenied(written: string): HearthError {
  const shown = written.slice(0, 200);
  return new HearthError(
    "permission_denied",
    `This API key has no access to the model '${shown}': it needs the ACL api-key:model:${shown}.`,
    { param: "model" },
  );
}

function endpointDenied(endpoint: string | null): HearthError {
  if (endpoint === null) return new HearthError("permission_denied", "This API key has no permissions.");
  return new HearthError(
    "permission_denied",
    `This API key has no access to this endpoint: it needs the ACL api-key:endpoint:${endpoint}.`,
  );
}
