import type { Actor, AuditPosition, AuditQuery, StoredAuditEvent } from "./audit/event.js";
import type { AuditStore } from "./audit/store.js";
import type { Member } from "./principals/member.js";
import type { MemberStore } from "./members/store.js";
import type { TeamStore } from "./teams/store.js";
import { findScope } from "./teams/teams.js";
import type { Scope } from "./visibility.js";
import type { ApiKeyStore } from "./keys/store.js";

/** Filters the events of a page; null = no filter. */
interface AuditFilter {
  readonly eventId: string | null;
  readonly userId: string | null;
  /** A part of the description, ignoring case. */
  readonly text: string | null;
}

export interface AuditEventWithMember extends StoredAuditEvent {
  /** The member on whose behalf the change was made, also after their removal; null when it was not a member. */
  readonly member: Member | null;
}

interface AuditPage {
  readonly events: readonly AuditEventWithMember[];
  /** Where the next page starts; null when this is the last one. */
  readonly next: AuditPosition | null;
}

export type AuditLog = ReturnType<typeof createAuditLog>;

interface AuditLogDeps {
  readonly audit: AuditStore;
  readonly keys: ApiKeyStore;
  readonly members: MemberStore;
  readonly teams: TeamStore;
}

/** Events scanned for one filtered page. */
const eventsScannedMax = 1000;
/** Events of a page of all; writing one holds the event loop for some milliseconds. */
const eventsExportedMax = 250;

export function createAuditLog(deps: AuditLogDeps) {
  const { audit, teams } = deps;
  return {
    /**
     * Returns at most `limit` events of a team. An actor that sees only API keys of their own gets those that they caused, and those about
     * them and about these keys. A page may be shorter without being the last one, because the number of
     * events scanned for a page is bounded.
     * @throws HearthError `not_found` when the team does not exist or the actor cannot see it.
     */
    async page(
      query: AuditQuery & { readonly teamId: string },
      filter: AuditFilter,
      actor: Actor,
    ): Promise<AuditPage> {
      const isSeen = await eventsSeen(deps, await findScope(teams, query.teamId, actor));
      const isFiltered = isSeen !== null || Object.values(filter).some((wanted) => wanted !== null);
      const scanned = await audit.page({ ...query, limit: isFiltered ? eventsScannedMax : query.limit + 1 });
      const hasMore = isFiltered && scanned.length === eventsScannedMax;
      const isWanted = (event: StoredAuditEvent): boolean =>
        (isSeen === null || isSeen(event)) && matches(event, filter);
      const { events, next } = toPage(scanned, isWanted, query.limit, hasMore);
      return { events: await withMembers(deps, events), next };
    },
    /** Returns the events of a scope by time, page by page: those at `from` or later and before `to`; null = no bound. */
    scan: (
      scope: Scope,
      from: number | null,
      to: number | null,
    ): AsyncIterable<readonly AuditEventWithMember[]> => scan(deps, scope, from, to),
    /** Returns the newest events of all teams and of the server, newest first. */
    async newest(limit: number): Promise<readonly AuditEventWithMember[]> {
      const events = await audit.page({
        teamId: null,
        order: "descending",
        after: null,
        from: null,
        to: null,
        limit,
      });
      return withMembers(deps, events);
    },
  };
}

/** Returns which events of its teams a scope has; null: all of them. */
async function eventsSeen(
  { keys }: AuditLogDeps,
  { teamId, ownerId }: Scope,
): Promise<((event: StoredAuditEvent) => boolean) | null> {
  if (ownerId === null) return null;
  const own = new Set([ownerId, ...(await keys.idsOfOwner(teamId, ownerId))]);
  return ({ userId, objectId }) => userId === ownerId || own.has(objectId);
}

async function* scan(
  deps: AuditLogDeps,
  scope: Scope,
  from: number | null,
  to: number | null,
): AsyncGenerator<readonly AuditEventWithMember[]> {
  const isSeen = await eventsSeen(deps, scope);
  const query = { teamId: scope.teamId, from, to };
  let after: AuditPosition | null = null;
  for (;;) {
    const page: AuditQuery = { ...query, order: "ascending", after, limit: eventsExportedMax };
    const events: readonly StoredAuditEvent[] = await deps.audit.page(page);
    yield await withMembers(deps, isSeen === null ? events : events.filter(isSeen));
    const last: StoredAuditEvent | undefined = events.at(-1);
    if (last === undefined || events.length < eventsExportedMax) return;
    after = { time: last.time, entry: last.entry };
  }
}

async function withMembers(
  { members }: AuditLogDeps,
  events: readonly StoredAuditEvent[],
): Promise<AuditEventWithMember[]> {
  const ids = [...new Set(events.map(({ userId }) => userId))];
  const byId = new Map((await members.findEver(ids)).map((member) => [member.id, member]));
  return events.map((event) => ({ ...event, member: byId.get(event.userId) ?? null }));
}

/** @param hasMore whether there may be events beyond the scanned ones. */
function toPage(
  scanned: readonly StoredAuditEvent[],
  isWanted: (event: StoredAuditEvent) => boolean,
  limit: number,
  hasMore: boolean,
): { readonly events: readonly StoredAuditEvent[]; readonly next: AuditPosition | null } {
  const matching = scanned.filter(isWanted);
  const events = matching.slice(0, limit);
  const last = matching.length > limit ? events.at(-1) : hasMore ? scanned.at(-1) : undefined;
  return { events, next: last === undefined ? null : { time: last.time, entry: last.entry } };
}

function matches(event: StoredAuditEvent, { eventId, userId, text }: AuditFilter): boolean {
  return (
    (eventId === null || event.id === eventId) &&
    (userId === null || event.userId === userId || event.actor === userId) &&
    (text === null || event.description.toLowerCase().includes(text.toLowerCase()))
  );
}
