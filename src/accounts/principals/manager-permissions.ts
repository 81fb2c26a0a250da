/**
 * Checks a management key's ACLs, `team-token:endpoint:<name>`, and the role of its member against what a route needs. Which
 * teams and API keys it can see is decided in visibility.ts.
 */
import { HearthError } from "../../core/errors.js";
import type { Manager } from "./management-key.js";
import { roles, type MemberRole } from "./member.js";

/** The names of endpoints in ACLs, each with the lowest role of members whose keys may use it. */
const lowestRoles = {
  CreateApiKey: "member",
  ListApiKeys: "member",
  UpdateApiKey: "member",
  DeleteApiKey: "member",
  RotateApiKey: "member",
  CheckApiKeyPropagation: "member",
  ListModels: "member",
  ManageModels: "owner",
  ListPossibleEndpointAcls: "member",
  ListTeams: "member",
  CreateTeam: "owner",
  UpdateTeam: "owner",
  ListMembers: "member",
  CreateMember: "owner",
  UpdateMember: "owner",
  DeleteMember: "owner",
  ListAccessGroups: "member",
  CreateAccessGroup: "owner",
  UpdateAccessGroup: "owner",
  DeleteAccessGroup: "owner",
  ListRequests: "member",
  CancelRequest: "member",
  StoredRead: "member",
  StoredWrite: "member",
  ServerRead: "owner",
  ReadRequestBodies: "member",
  DeleteRequestBodies: "member",
  ManageAlerts: "owner",
  AuditRead: "member",
  BillingRead: "member",
  BillingWrite: "owner",
} as const satisfies Readonly<Record<string, MemberRole>>;

export type ManagementEndpoint = keyof typeof lowestRoles;

export const managementEndpoints = Object.keys(lowestRoles) as readonly ManagementEndpoint[];

/** ACLs that grant every endpoint of the management plane. */
export const allManagementAcls: readonly string[] = ["team-token:endpoint:*"];

export function isManagementAcl(acl: string): boolean {
  const names: readonly string[] = [...managementEndpoints, "*"];
  const [, name = ""] = /^team-token:endpoint:([A-Za-z*]+)$/.exec(acl) ?? [];
  return names.includes(name);
}

/** Whether a key has the ACL of an endpoint. The roles of members are not considered. */
export function hasManagementAcl({ key }: Manager, endpoint: ManagementEndpoint): boolean {
  return key.acls.includes("team-token:endpoint:*") || key.acls.includes(`team-token:endpoint:${endpoint}`);
}

/** What a route requires of a management key. */
interface ManagementNeed {
  /** Name in the ACL that the route needs; null when it needs none. */
  readonly acl: ManagementEndpoint | null;
  /** true: the key must be for all teams. */
  readonly forAllTeams?: boolean;
}

/** Checks that the key may use the route. @throws HearthError `permission_denied`. */
export function authoriseManager(manager: Manager, { acl, forAllTeams = false }: ManagementNeed): void {
  if (acl === null) return;
  const { key, member } = manager;
  if (!hasManagementAcl(manager, acl))
    throw new HearthError(
      "permission_denied",
      `This management key has no access to this endpoint: it needs the ACL team-token:endpoint:${acl}.`,
    );
  if (member !== null && roles.indexOf(member.role) > roles.indexOf(lowestRoles[acl]))
    throw new HearthError(
      "permission_denied",
      `This management key belongs to a member with the role '${member.role}': this endpoint needs '${lowestRoles[acl]}'.`,
    );
  if (forAllTeams && key.teamId !== null) throw deniedToTeamKey("use this endpoint");
}

/** Returns the error for a management key of a single team that attempts what only the operator may do. */
export function deniedToTeamKey(what: string): HearthError {
  return new HearthError(
    "permission_denied",
    `This management key is for one team: it may not ${what}. Please ask the operator of this server.`,
  );
}
