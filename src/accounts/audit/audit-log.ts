import type { Actor, AuditPosition, AuditQuery, AuditStore, StoredAuditEvent } from "./event.js";
import type { Member, MemberStore } from "../members/member.js";
import type { TeamStore } from "../teams/team.js";
import { teamSeen } from "../teams/teams.js";

/** Which events of a page are wanted; null = all. */
export interface AuditFilter {
  readonly eventId: string | null;
  readonly userId: string | null;
  /** A part of the description, in whatever case. */
  readonly text: string | null;
}

/** An event, and who it was on whose behalf, where that is or was a member. */
export interface ToldAuditEvent extends StoredAuditEvent {
  readonly member: Member | null;
}

export interface AuditPage {
  readonly events: readonly ToldAuditEvent[];
  /** Where the next page goes on; null when there is none. */
  readonly next: AuditPosition | null;
}

export interface AuditLog {
  /**
   * At most `limit` events of a team. A page may be shorter than that and yet not the last: only so many events are looked
   * through for one.
   * @throws HearthError `not_found` when there is no such team, or the actor does not see it.
   */
  page(
    query: AuditQuery & { readonly teamId: string },
    filter: AuditFilter,
    actor: Actor,
  ): Promise<AuditPage>;
  /** The newest events of all teams and of the server, newest first. */
  newest(limit: number): Promise<readonly ToldAuditEvent[]>;
}

export interface AuditLogDeps {
  readonly audit: AuditStore;
  readonly members: Pick<MemberStore, "known">;
  readonly teams: TeamStore;
}

/** Events that are looked through for one page. */
const eventsScannedMax = 1000;

/** Reads the log. */
export function createAuditLog(deps: AuditLogDeps): AuditLog {
  const { audit, teams } = deps;
  return {
    async page(query, filter, actor) {
      await teamSeen(teams, query.teamId, actor);
      const isFiltered = Object.values(filter).some((wanted) => wanted !== null);
      const scanned = await audit.page({ ...query, limit: isFiltered ? eventsScannedMax : query.limit + 1 });
      const goesOn = isFiltered && scanned.length === eventsScannedMax;
      const { events, next } = pageOf(scanned, filter, query.limit, goesOn);
      return { events: await withMembers(deps, events), next };
    },
    async newest(limit) {
      const bounds = { after: null, from: null, to: null, limit };
      return withMembers(deps, await audit.page({ teamId: null, order: "descending", ...bounds }));
    },
  };
}

async function withMembers(
  { members }: AuditLogDeps,
  events: readonly StoredAuditEvent[],
): Promise<ToldAuditEvent[]> {
  const ids = [...new Set(events.map(({ userId }) => userId))];
  const byId = new Map((await members.known(ids)).map((member) => [member.id, member]));
  return events.map((event) => ({ ...event, member: byId.get(event.userId) ?? null }));
}

/** @param goesOn whether there may be more beyond what was scanned. */
function pageOf(
  scanned: readonly StoredAuditEvent[],
  filter: AuditFilter,
  limit: number,
  goesOn: boolean,
): { readonly events: readonly StoredAuditEvent[]; readonly next: AuditPosition | null } {
  const matching = scanned.filter((event) => matches(event, filter));
  const events = matching.slice(0, limit);
  const last = matching.length > limit ? events.at(-1) : goesOn ? scanned.at(-1) : undefined;
  return { events, next: last === undefined ? null : { time: last.time, entry: last.entry } };
}

function matches(event: StoredAuditEvent, { eventId, userId, text }: AuditFilter): boolean {
  return (
    (eventId === null || event.id === eventId) &&
    (userId === null || event.userId === userId || event.actor === userId) &&
    (text === null || event.description.toLowerCase().includes(text.toLowerCase()))
  );
}
