/**
 * Exports of usage, ledger and audit log: everything of a time, page by page, so that memory does not grow with it. Usage and ledger
 * come team by team, each by time; the audit log by time.
 */
import type { AuditLog } from "../audit-log.js";
import type { Actor } from "../audit/event.js";
import { canSee, type Scope } from "../visibility.js";
import { invalid } from "../field-rules.js";
import type { TeamStore } from "../teams/store.js";
import { findScope } from "../teams/teams.js";
import type { ExportKind, ExportRow } from "../../core/export/rows.js";
import { ledgerColumns, usageColumns, type ExportStore, type TeamSpan } from "./store.js";

interface ExportQuery {
  /** null = all that the actor can see; of the audit log, the server's own events too. */
  readonly teamId: string | null;
  /** `from` or later, and before `to`; milliseconds since the epoch, null = no bound. */
  readonly from: number | null;
  readonly to: number | null;
}

interface Export {
  readonly columns: readonly string[];
  /** Read once, while the accounts are open. A page can be empty. */
  readonly pages: AsyncIterable<readonly ExportRow[]>;
}

export type Exports = ReturnType<typeof createExports>;

interface ExportDeps {
  readonly exports: ExportStore;
  readonly teams: TeamStore;
  readonly auditLog: AuditLog;
}

const auditColumns = [
  ...["time", "event_id", "actor", "user_id", "user_email", "team_id", "act", "object_id", "description"],
  ...["before", "after"],
];

export function createExports(deps: ExportDeps) {
  const { exports, teams } = deps;
  return {
    /**
     * Opens an export; nothing is read yet.
     * @throws HearthError `not_found` for a team that does not exist or that the actor cannot see, `invalid_value` when the time ends before
     * it starts.
     */
    async open(kind: ExportKind, query: ExportQuery, actor: Actor): Promise<Export> {
      const scope = await findScope(teams, query.teamId, actor);
      if (query.from !== null && query.to !== null && query.to <= query.from)
        throw invalid("until", "must be after since");
      const visible = { ...query, ...scope };
      if (kind === "audit") return { columns: auditColumns, pages: auditPages(deps, visible) };
      const isUsage = kind === "usage";
      const read = (span: TeamSpan) => (isUsage ? exports.usage(span) : exports.ledger(span));
      const columns = isUsage ? usageColumns : ledgerColumns;
      return { columns, pages: teamByTeam(deps, visible, actor, read) };
    },
  };
}

async function* teamByTeam(
  { teams }: ExportDeps,
  { teamId, ownerId, from, to }: ExportQuery & Scope,
  actor: Actor,
  read: (span: TeamSpan) => AsyncIterable<readonly ExportRow[]>,
): AsyncGenerator<readonly ExportRow[]> {
  const seen =
    teamId === null ? (await teams.list()).filter(({ id }) => canSee(actor, id)) : [{ id: teamId }];
  for (const { id } of seen)
    yield* read({ teamId: id, ownerId, from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER });
}

async function* auditPages(
  { auditLog }: ExportDeps,
  { teamId, ownerId, from, to }: ExportQuery & Scope,
): AsyncGenerator<readonly ExportRow[]> {
  for await (const events of auditLog.scan({ teamId, ownerId }, from, to))
    yield events.map((event) => ({
      time: new Date(event.time).toISOString(),
      event_id: event.id,
      actor: event.actor,
      user_id: event.userId,
      user_email: event.member?.email ?? null,
      team_id: event.teamId,
      act: event.action,
      object_id: event.objectId,
      description: event.description,
      before: event.before,
      after: event.after,
    }));
}
