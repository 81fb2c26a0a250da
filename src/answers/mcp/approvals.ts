/** The approvals of calls of MCP servers: each leads to one call at most, whatever retries, restarts or sends its request again. */
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import type { Writes } from "../../store/writes.js";
import type { McpApprovalStore } from "./store.js";

export type McpApprovals = ReturnType<typeof createMcpApprovals>;

interface McpApprovalsDeps {
  readonly store: McpApprovalStore;
  readonly writes: Writes;
  readonly clock: Clock;
  /** How long a used approval is remembered. */
  readonly keptMs: number;
}

export function createMcpApprovals({ store, writes, clock, keptMs }: McpApprovalsDeps) {
  return {
    /** Returns which of these approvals of a team were used. */
    used: (teamId: string, ids: readonly string[]): Promise<ReadonlySet<string>> => store.used(teamId, ids),
    /**
     * Marks an approval as used: on disk before this resolves.
     * @throws HearthError `invalid_value` when it is used already.
     */
    async use(teamId: string, id: string): Promise<void> {
      try {
        await writes.commit([store.use(teamId, id, clock.now() + keptMs)]);
      } catch (thrown) {
        if (!(thrown instanceof HearthError) || thrown.kind !== "conflict") throw thrown;
        throw new HearthError("invalid_value", "the call that was allowed was executed before");
      }
    },
  };
}
