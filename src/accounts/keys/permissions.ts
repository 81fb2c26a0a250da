/**
 * What a key may do: its ACL strings against what a request needs. An ACL is `api-key:endpoint:<name>` or
 * `api-key:model:<name>`, `*` standing for all; a key without any may do nothing.
 */
import type { Principal } from "./api-key.js";
import { HearthError, modelNotFound } from "../../core/errors.js";

/** What a request needs. */
export interface Need {
  /** Name of the endpoint's ACL; null for a route that needs none. */
  readonly endpoint: string | null;
  /** Id of the model; null when the request names none. */
  readonly model: string | null;
  /** The model's name as the request wrote it, where that is an alias: a refusal must not tell which id it stands for. */
  readonly modelAsWritten?: string;
}

const aclCharactersMax = 300;

/** Opens every endpoint and every model. */
export const allAcls: readonly string[] = ["api-key:endpoint:*", "api-key:model:*"];

/** Names that an endpoint ACL can have. */
export const endpointNames = [
  "chat",
  "embed",
  "image",
  "models",
  "sample",
  "tokenize",
  "documents",
  "metrics",
] as const;

/** Whether it is an ACL that a key can have. */
export function isAcl(acl: string): boolean {
  const endpoints: readonly string[] = [...endpointNames, "*"];
  const [, kind, name = ""] = /^api-key:(endpoint|model):([\x21-\x7e]+)$/.exec(acl) ?? [];
  if (kind === undefined || acl.length > aclCharactersMax) return false;
  return kind === "model" || endpoints.includes(name);
}

/** Whether the ACLs grant all that is needed. */
export function isAllowed(acls: readonly string[], { endpoint, model }: Need): boolean {
  if (acls.length === 0) return false;
  return (
    (endpoint === null || grants(acls, "endpoint", endpoint)) &&
    (model === null || grants(acls, "model", model))
  );
}

/** Whether the key may use the model of that id. */
export function mayUseModel(principal: Principal, model: string): boolean {
  return isAllowed(principal.key.acls, { endpoint: null, model });
}

/**
 * Sees to it that the key may do what the request needs.
 * @throws HearthError `permission_denied` for the endpoint; for the model the `model_not_found` of one that is not there.
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
