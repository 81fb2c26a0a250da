/**
 * Checks an API key's ACLs against what a request needs. An ACL is `api-key:endpoint:<name>` or `api-key:model:<name>`; `*`
 * matches all names. A key without ACLs may do nothing.
 */
import type { Principal } from "./api-key.js";
import { HearthError, modelNotFound } from "../../core/errors.js";

/** The permissions that a request needs. */
export interface Need {
  /** Name in the endpoint's ACL; null for a route that needs none. */
  readonly endpoint: string | null;
  /** Id of the model; null when the request names none. */
  readonly model: string | null;
  /** The alias by which the request names the model: the error repeats the alias, so that it does not reveal the id. */
  readonly modelAsWritten?: string;
}

/** Whether the ACLs grant everything that is needed. */
export function isAllowed(acls: readonly string[], { endpoint, model }: Need): boolean {
  if (acls.length === 0) return false;
  return (
    (endpoint === null || grants(acls, "endpoint", endpoint)) &&
    (model === null || grants(acls, "model", model))
  );
}

/** Whether the key may use the model with this id. */
export function mayUseModel(principal: Principal, model: string): boolean {
  return isAllowed(principal.key.acls, { endpoint: null, model });
}

/**
 * Checks that the key may do what the request needs.
 * @throws HearthError `permission_denied` for the endpoint; `model_not_found` for the model, as if it did not exist.
 */
export function authorise(principal: Principal, need: Need): void {
  const { acls } = principal.key;
  if (!isAllowed(acls, { ...need, model: null })) throw endpointDenied(need.endpoint);
  if (need.model !== null && !isAllowed(acls, need)) throw modelNotFound(need.modelAsWritten ?? need.model);
}

function grants(acls: readonly string[], kind: "endpoint" | "model", name: string): boolean {
  return acls.includes(`api-key:${kind}:*`) || acls.includes(`api-key:${kind}:${name}`);
}

function endpointDenied(endpoint: string | null): HearthError {
  if (endpoint === null) return new HearthError("permission_denied", "This API key has no permissions.");
  return new HearthError(
    "permission_denied",
    `This API key has no access to this endpoint: it needs the ACL api-key:endpoint:${endpoint}.`,
  );
}
