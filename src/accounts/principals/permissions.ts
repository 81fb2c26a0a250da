/**
 * Checks what a request needs against the ACLs of its API key, and against those that its team allows. An ACL is
 * `api-key:endpoint:<name>` or `api-key:model:<name>`, `*` matching all names, or `api-key:group:<name>`, which stands for the ACLs of an
 * access group. A key without ACLs may do nothing; a team without a list of them allows everything.
 */
import type { Principal } from "./api-key.js";
import type { Team } from "./team.js";
import { readGroupName } from "./acls.js";
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

/** Whether the key and its team grant everything that is needed. */
export function isAllowed(principal: Principal, need: Need): boolean {
  const { key, team, groups } = principal;
  return grant(withGroups(key.acls, groups), need) && teamGrants(team, groups, need);
}

/** Whether a team allows its keys everything that is needed. @param groups those that its ACLs name, as in a principal. */
export function teamGrants(team: Team, groups: Principal["groups"], need: Need): boolean {
  return team.acls === null || grant(withGroups(team.acls, groups), need);
}

/** Replaces the ACLs of groups by those that the groups have. */
function withGroups(acls: readonly string[], groups: Principal["groups"]): readonly string[] {
  if (groups === undefined) return acls;
  return acls.flatMap((acl) => groups.get(readGroupName(acl) ?? "") ?? [acl]);
}

function grant(acls: readonly string[], { endpoint, model }: Need): boolean {
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
  return isAllowed(principal, { endpoint: null, model: modelNames(model.manifest.id, model) });
}

/** Checks that the key may do what the request needs. @throws HearthError `permission_denied` for the endpoint or the model. */
export function authorise(principal: Principal, need: Need): void {
  const { key, team, groups } = principal;
  const ofKey = withGroups(key.acls, groups);
  const endpointNeed = { ...need, model: null };
  if (!grant(ofKey, endpointNeed)) throw endpointDenied(need.endpoint);
  if (!teamGrants(team, groups, endpointNeed)) throw deniedByTeam("this endpoint");
  if (need.model === null) return;
  const written = (need.model[0] ?? "").slice(0, 200);
  if (!grant(ofKey, need)) throw modelDenied(written);
  if (!teamGrants(team, groups, need)) throw deniedByTeam(`the model '${written}'`, "model");
}

function grants(acls: readonly string[], kind: "endpoint" | "model", names: readonly string[]): boolean {
  return ["*", ...names].some((name) => acls.includes(`api-key:${kind}:${name}`));
}

/** The error repeats the name in the request, so that it does not reveal the id behind an alias, nor whether the model exists. */
function modelDenied(shown: string): HearthError {
  return new HearthError(
    "permission_denied",
    `This API key has no access to the model '${shown}': it needs the ACL api-key:model:${shown}.`,
    { param: "model" },
  );
}

function deniedByTeam(what: string, param?: string): HearthError {
  return new HearthError(
    "permission_denied",
    `Your team has no access to ${what}. Please ask the operator of this server.`,
    { param },
  );
}

function endpointDenied(endpoint: string | null): HearthError {
  if (endpoint === null) return new HearthError("permission_denied", "This API key has no permissions.");
  return new HearthError(
    "permission_denied",
    `This API key has no access to this endpoint: it needs the ACL api-key:endpoint:${endpoint}.`,
  );
}
