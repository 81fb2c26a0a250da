/**
 * What a management key may do: its ACL strings, `team-token:endpoint:<name>`, against the name that a route needs. Whose
 * things it sees is another matter: that is its team's, in actors.ts.
 */
import { HearthError } from "../core/errors.js";
import type { Manager } from "../core/management-key.js";

/** Names that the ACL of a management key can have. */
export const managementEndpoints = [
  "CreateApiKey",
  "ListApiKeys",
  "UpdateApiKey",
  "DeleteApiKey",
  "RotateApiKey",
  "CheckApiKeyPropagation",
  "ListModels",
  "ListPossibleEndpointAcls",
  "ListTeams",
  "CreateTeam",
  "UpdateTeam",
  "AuditRead",
  "BillingRead",
] as const;

export type ManagementEndpoint = (typeof managementEndpoints)[number];

/** Opens every route of the management plane. */
export const allManagementAcls: readonly string[] = ["team-token:endpoint:*"];

export function isManagementAcl(acl: string): boolean {
  const names: readonly string[] = [...managementEndpoints, "*"];
  const [, name = ""] = /^team-token:endpoint:([A-Za-z*]+)$/.exec(acl) ?? [];
  return names.includes(name);
}

/**
 * Sees to it that the key may use the route.
 * @param endpoint name of the ACL that the route needs; null for none.
 * @throws HearthError `permission_denied`.
 */
export function authoriseManager({ key }: Manager, endpoint: string | null): void {
  if (endpoint === null || key.acls.includes("team-token:endpoint:*")) return;
  const needed = `team-token:endpoint:${endpoint}`;
  if (!key.acls.includes(needed))
    throw new HearthError(
      "permission_denied",
      `This management key has no access to this endpoint: it needs the ACL ${needed}.`,
    );
}
