import Sqlite from "better-sqlite3";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { createManagementKeyService } from "../../../src/accounts/management-keys/management-keys.js";
import { systemRandom } from "../../../src/system/clock.js";
import { completionRequest } from "../../kit/ledger.js";
import { full, normal } from "../../store/synchronous.js";
import { startServer } from "../../kit/server.js";
import { allAcls } from "../../kit/server/management.js";

/**
 * Records, for each change of a table, the table and the value of `PRAGMA synchronous` on the connection that makes the change.
 * Returns the values by table since the last call.
 */
function recordSynchronousChanges(file: string): () => Readonly<Record<string, readonly number[]>> {
  const sqlite = new Sqlite(file);
  onTestFinished(() => void sqlite.close());
  sqlite.exec("create table seen (changed text, mode integer)");
  const tables = sqlite
    .prepare<[], { name: string }>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'seen'",
    )
    .all();
  for (const { name } of tables)
    for (const event of ["insert", "update", "delete"])
      sqlite.exec(
        `create trigger seen_${event}_${name} after ${event} on ${name} begin
          insert into seen select '${name}', synchronous from pragma_synchronous;
        end`,
      );
  return () => {
    const rows = sqlite
      .prepare<[], { changed: string; modes: string }>(
        "select changed, json_group_array(distinct mode) as modes from seen group by 1 order by 1",
      )
      .all();
    sqlite.exec("delete from seen");
    return Object.fromEntries(rows.map(({ changed, modes }) => [changed, JSON.parse(modes) as number[]]));
  };
}

it("F20: money, keys, teams, members, limits and every revocation are synced to the disk before they are confirmed; runs are not", async () => {
  const server = await startServer({ accounts: "managed" });
  const changes = recordSynchronousChanges(join(server.data, "hearth.db"));
  const { clock, stores } = server;
  const done = async (method: string, path: string, body?: object): Promise<void> =>
    expect(await server.request(method, path, body), `${method} ${path}`).toMatchObject({ status: 200 });
  const managementKeys = createManagementKeyService({
    ...stores,
    findMember: (id) => stores.members.find(id),
    clock,
    random: systemRandom,
  });

  const teamId = await server.createTeam();
  await done("PUT", `/auth/teams/${teamId}`, { team: { name: "laboratory" } });
  await done("PUT", `/auth/teams/${teamId}/limits`, { limits: { qps: 100 } });
  await done("PUT", `/auth/teams/${teamId}/limits`, { limits: {}, fieldMask: "qps" });
  await done("POST", `/v1/billing/teams/${teamId}/prepaid/top-up`, { amount: { val: "500" } });
  await done("POST", `/v1/billing/teams/${teamId}/postpaid/spending-limits`, {
    desiredSoftSpendingLimit: { val: "400" },
  });
  const memberId = await server.createMember(teamId);
  await done("DELETE", `/auth/members/${memberId}`);
  const revoked = await server.createKey(teamId, { acls: allAcls });
  await done("PUT", `/auth/api-keys/${revoked.apiKeyId}`, { apiKey: { disabled: true } });
  await done("POST", `/auth/api-keys/${revoked.apiKeyId}/rotate`, {});
  await done("DELETE", `/auth/api-keys/${revoked.apiKeyId}`);
  const manager = await managementKeys.create({ name: "console", teamId: null }, cliActor);
  await managementKeys.remove(manager.key.id, cliActor);
  const { apiKey } = await server.createKey(teamId, { acls: allAcls });
  const synced = changes();
  expect(Object.keys(synced)).toEqual([
    "api_keys",
    "audit_events",
    "ledger_balances",
    "ledger_entries",
    "ledger_transactions",
    "management_keys",
    "members",
    "removed_keys",
    "spending_limits",
    "team_limits",
    "teams",
  ]);
  expect(new Set(Object.values(synced).flat())).toEqual(new Set([full]));

  expect((await server.request("POST", "/v1/completions", completionRequest, apiKey)).status).toBe(200);
  const { runs, ledger_entries: charged } = changes();
  expect({ runs, charged }).toEqual({ runs: [normal], charged: [normal] });
});
