import { expect, it } from "vitest";
import { createMcpApprovals } from "../../src/answers/mcp/approvals.js";
import { createMcpApprovalStore } from "../../src/answers/mcp/store.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { createWrites } from "../../src/store/writes.js";
import { createManualClock } from "../kit/manual-clock.js";
import { aTeam, temporaryDatabase } from "../store/records.js";

it("an approval is used once in its team, and forgotten when its time is over", async () => {
  const database = await temporaryDatabase();
  const teams = createTeamStore(database);
  for (const id of ["team-a", "team-b"]) await teams.insert(aTeam({ id }));
  const clock = createManualClock(1_000);
  const store = createMcpApprovalStore(database);
  const writes = createWrites(database);
  const approvals = createMcpApprovals({ store, writes, clock, keptMs: 500 });
  const ids = ["mcpr_1", "mcpr_2"];
  await approvals.use("team-a", "mcpr_1");
  await expect(approvals.use("team-a", "mcpr_1")).rejects.toMatchObject({ kind: "invalid_value" });
  await approvals.use("team-b", "mcpr_1");
  clock.advance(100);
  await approvals.use("team-a", "mcpr_2");
  expect(await approvals.used("team-a", ids)).toEqual(new Set(ids));
  expect(await store.deleteExpired(1_500, 1)).toBe(1);
  expect(await store.deleteExpired(1_500, 9)).toBe(1);
  expect(await approvals.used("team-a", ids)).toEqual(new Set(["mcpr_2"]));
  expect(await approvals.used("team-b", ids)).toEqual(new Set());
});
