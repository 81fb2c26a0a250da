import { sql, type RawBuilder } from "kysely";
import type { Database } from "../../store/database.js";
import { selectKeyName, selectKeysOfOwner } from "../../store/tables/known-keys.js";
import type { ExportRow } from "../../core/export/rows.js";
import type { TeamScope } from "../visibility.js";

export type ExportStore = ReturnType<typeof createExportStore>;

/** A part of what one team has, of what an actor sees: `from` or later, and before `to`; milliseconds since the epoch. */
export interface TeamSpan extends TeamScope {
  readonly from: number;
  readonly to: number;
}

/** Rows of a page; writing one holds the event loop for some milliseconds. */
const pageRows = 250;

export const usageColumns = [
  ...["hour", "team_id", "team_name", "model", "requested_model", "api_key_id", "api_key_name", "runs"],
  ...["prompt_tokens", "cached_tokens", "image_tokens", "completion_tokens", "reasoning_tokens", "images"],
  ...["cost_usd", "credit_usd"],
] as const;

export const ledgerColumns = [
  ...["time", "transaction_id", "kind", "team_id", "team_name", "run_id", "note", "account", "amount_usd"],
] as const;

/** Creates the queries of exports. Each reads pages from an index, one after the other. */
export function createExportStore({ reports }: Database) {
  return {
    /** The sums of every hour, model, name of a model, and key. */
    async *usage({ teamId, ownerId, from, to }: TeamSpan): AsyncGenerator<readonly ExportRow[]> {
      let after: UsageRow | null = null;
      for (;;) {
        const position: UsageRow | null = after;
        const rows: readonly UsageRow[] = (
          await sql<UsageRow>`select used.*, (select name from teams where id = used.team_id) as team_name,
            ${selectKeyName(sql`used.api_key_id`)} as key_name, ${usageSeen(teamId, ownerId)} as is_seen,
            cast(cost_ticks as text) as cost, cast(credit_ticks as text) as credit
          from usage_hours as used where team_id = ${teamId} and hour < ${to}
            ${
              // With both conditions, SQLite would read each page from the first one on.
              position === null
                ? sql`and hour >= ${from}`
                : sql`and (hour, model, asked_model, api_key_id) >
                  (${position.hour}, ${position.model}, ${position.askedModel}, ${position.apiKeyId})`
            }
          order by hour, model, asked_model, api_key_id limit ${pageRows}`.execute(reports)
        ).rows;
        yield rows.filter(isOne).map(toUsageRow);
        if (rows.length < pageRows) return;
        after = rows.at(-1) ?? null;
      }
    },
    /** Every entry of every transaction. The owner of keys gets the entries of their own runs that are not deleted. */
    async *ledger({ teamId, ownerId, from, to }: TeamSpan): AsyncGenerator<readonly ExportRow[]> {
      let after: readonly [time: number, id: number] = [from, 0];
      for (;;) {
        const [time, id]: readonly [number, number] = after;
        const rows: readonly LedgerRow[] = (
          await sql<LedgerRow>`select made.*, (select name from teams where id = made.team_id) as team_name, ${ledgerSeen(ownerId)} as is_seen,
            account, cast(amount_ticks as text) as amount
          from (
            select * from ledger_transactions where team_id = ${teamId} and create_time < ${to}
              and (create_time, id) > (${time}, ${id}) order by create_time, id limit ${pageRows}
          ) as made join ledger_entries on transaction_id = made.id
          order by create_time, made.id, account`.execute(reports)
        ).rows;
        yield rows.filter(isOne).map(toLedgerRow);
        const last = rows.at(-1);
        // Every transaction has two entries or more.
        if (last === undefined) return;
        after = [last.createTime, last.id];
      }
    },
  };
}

/** Rows that the actor does not see are read, so that a page ends after a bounded number of rows, and left out. */
interface SeenRow {
  readonly isSeen: number;
}

function usageSeen(teamId: string, ownerId: string | null): RawBuilder<unknown> {
  if (ownerId === null) return sql`1`;
  return sql`case when api_key_id in ${selectKeysOfOwner(sql`(${teamId})`, ownerId)} then 1 else 0 end`;
}

function ledgerSeen(ownerId: string | null): RawBuilder<unknown> {
  if (ownerId === null) return sql`1`;
  return sql`case when exists (select 1 from runs where runs.id = made.run_id and user_id = ${ownerId}) then 1 else 0 end`;
}

function isOne({ isSeen }: SeenRow): boolean {
  return isSeen === 1;
}

interface UsageRow extends SeenRow {
  readonly teamId: string;
  readonly teamName: string;
  readonly hour: number;
  readonly model: string;
  readonly askedModel: string;
  readonly apiKeyId: string;
  readonly keyName: string | null;
  readonly runs: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly imageTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly images: number;
  readonly cost: string;
  readonly credit: string;
}

function toUsageRow(row: UsageRow): Readonly<Record<(typeof usageColumns)[number], ExportRow[string]>> {
  return {
    hour: new Date(row.hour).toISOString(),
    team_id: row.teamId,
    team_name: row.teamName,
    model: row.model,
    requested_model: row.askedModel,
    api_key_id: row.apiKeyId,
    api_key_name: row.keyName,
    runs: row.runs,
    prompt_tokens: row.promptTokens,
    cached_tokens: row.cachedTokens,
    image_tokens: row.imageTokens,
    completion_tokens: row.completionTokens,
    reasoning_tokens: row.reasoningTokens,
    images: row.images,
    cost_usd: BigInt(row.cost),
    credit_usd: BigInt(row.credit),
  };
}

interface LedgerRow extends SeenRow {
  readonly id: number;
  readonly createTime: number;
  readonly kind: string;
  readonly teamId: string;
  readonly teamName: string;
  readonly runId: string | null;
  readonly note: string | null;
  readonly account: string;
  readonly amount: string;
}

function toLedgerRow(row: LedgerRow): Readonly<Record<(typeof ledgerColumns)[number], ExportRow[string]>> {
  return {
    time: new Date(row.createTime).toISOString(),
    transaction_id: row.id,
    kind: row.kind,
    team_id: row.teamId,
    team_name: row.teamName,
    run_id: row.runId,
    note: row.note,
    account: row.account,
    amount_usd: BigInt(row.amount),
  };
}
