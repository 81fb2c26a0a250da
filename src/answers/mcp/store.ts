import { sql } from "kysely";
import type { Database } from "../../store/database.js";
import { createWrite, type Write } from "../../store/writes.js";

export type McpApprovalStore = ReturnType<typeof createMcpApprovalStore>;

/** Creates the queries of the table of approvals that were used. */
export function createMcpApprovalStore({ kysely }: Database) {
  return {
    /** Returns which of these approvals of a team were used. */
    async used(teamId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
      const rows = await kysely
        .selectFrom("mcpApprovals")
        .select("id")
        .where("teamId", "=", teamId)
        .where("id", "in", ids)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    /** Marks an approval as used. The commit fails with `conflict` when it is marked already. */
    use(teamId: string, id: string, expireTime: number): Write {
      const row = { teamId, id, expireTime };
      const query = kysely.insertInto("mcpApprovals").values(row);
      return createWrite("mcpApprovals", query.onConflict((conflict) => conflict.doNothing()).compile(), 1);
    },
    /** Deletes up to `limit` that have expired, the oldest first. @returns how many were deleted. */
    async deleteExpired(now: number, limit: number): Promise<number> {
      const { numAffectedRows } = await sql`delete from mcp_approvals where (team_id, id) in (
        select team_id, id from mcp_approvals where expire_time <= ${now} order by expire_time limit ${limit})`.execute(
        kysely,
      );
      return Number(numAffectedRows ?? 0);
    },
  };
}
