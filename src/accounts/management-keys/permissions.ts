/**
 * What a management key may do: its ACL strings, `team-token:endpoint:<name>`, against the name that a route needs, and, where
 * it is a member's, their role. Whose things it sees is another matter: that is its team's, in actors.ts.
 */
import { HearthError } from "../../core/errors.js";
import type { Manager } from "./management-key.js";
import { roles, type Role } from "../members/member.js";

/** Names that the ACL of a management key can have, each with the least role whose own keys may use it. */
const leastRoles = {
  CreateApiKey: "admin",
  ListApiKeys: "member",
  UpdateApiKey: "admin",
  DeleteApiKey: "admin",
  RotateApiKey: "admin",
  CheckApiKeyPropagation: "member",
  ListModels: "member",
  ListPossibleEndpointAcls: "member",
  ListTeams: "member",
  CreateTeam: "owner",
  UpdateTeam: "owner",
  ListMembers: "member",
  CreateMember: "owner",
  UpdateMember: "owner",
  DeleteMember: "owner",
  AuditRead: "member",
  BillingRead: "member",
  BillingWrite: "owner",
} as const satisfies Readonly<Record<string, Role>>;

export type ManagementEndpoint = keyof typeof leastRoles;

export const managementEndpoints = Object.keys(leastRoles) as readonly ManagementEndpoint[];

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
export function authoriseManager({ key, member }: Manager, endpoint: ManagementEndpoint | null): void {
  if (endpoint === null) return;
  const needed = `team-token:endpoint:${endpoint}`;
  if (!key.acls.includes("team-token:endpoint:*") && !key.acls.includes(needed))
    throw new HearthError(
      "permission_denied",
      `This management key has no access to this endpoint: it needs the ACL ${needed}.`,
    );
  if (member !== null && roles.indexOf(member.role) > roles.indexOf(leastRoles[endpoint]))
    throw new HearthError(
      "permission_denied",
      `This management key is a member's whose role is '${member.role}': this endpoint needs '${leastRoles[endpoint]}'.`,
    );
}
