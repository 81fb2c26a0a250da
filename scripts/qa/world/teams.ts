/** Teams and their keys in the database of a server. */
import { join } from "node:path";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { hashSecret } from "../../../src/accounts/credentials/secret.js";
import { createKeyService } from "../../../src/accounts/keys/keys.js";
import { createTeamLimitStore } from "../../../src/accounts/limits/store.js";
import { everyModel } from "../../../src/accounts/principals/team-limit.js";
import { creditTransaction } from "../../../src/accounts/money/ledger.js";
import { createLedgerStore } from "../../../src/accounts/money/store/ledger.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { defaultTeamSettings, type BillingMode } from "../../../src/accounts/principals/team.js";
import { createTeamService } from "../../../src/accounts/teams/teams.js";
import { buildAccountStores } from "../../../src/app/accounts.js";
import { openDatabase, type Database } from "../../../src/store/database.js";
import { prepareBinding } from "../../../src/store/prepared.js";
import { createWrites } from "../../../src/store/writes.js";
import { systemClock, systemRandom } from "../../../src/system/clock.js";
import type { Target } from "./client.js";
import type { ServerProcess } from "./server.js";

/** Limits of every kind, wide enough that no request is refused. */
const limits = { qps: 1_000_000, qpm: 10_000_000, tpm: 1_000_000_000_000 };

/** Creates another team and its key in the database of a running server and returns a client of it. */
export async function addTeam(server: ServerProcess, name: string): Promise<Target> {
  const database = await openDatabase(join(server.dataFolder, "hearth.db"));
  try {
    const deps = { ...buildAccountStores(database), clock: systemClock, random: systemRandom };
    const { id } = await createTeamService(deps).create({ name, billing: "unmetered" }, cliActor);
    const { secret } = await createKeyService(deps).create({ teamId: id, name }, cliActor);
    return { url: server.url, key: secret };
  } finally {
    await database.close();
  }
}

/** The secret of a key of a team. */
export function nameSecret(index: number, teamId = "team"): string {
  return `bench-key-of-${teamId}-${index}`;
}

/** Inserts a team with credit, and its keys. */
export async function fillTeam(
  database: Database,
  keys: number,
  billing: BillingMode,
  teamId = "team",
  isLimited = true,
): Promise<void> {
  const { kysely, commit } = database;
  const team = { ...defaultTeamSettings, id: teamId, name: teamId, billing, createTime: 0 };
  await createTeamStore(database).insert(team);
  const credit = creditTransaction("purchase", { teamId, ticks: Number.MAX_SAFE_INTEGER, note: null }, 0);
  await createLedgerStore(database).post(credit);
  const ofTeam = createTeamLimitStore(database).insertion({ teamId, model: everyModel, ...limits });
  if (isLimited) await createWrites(database).commit([ofTeam]);
  const acls = ["api-key:endpoint:*", "api-key:model:*"];
  const columns = ["id", "hash"] as const;
  const insert = prepareBinding(columns, ({ id, hash }: { id: string; hash: Uint8Array }) =>
    kysely.insertInto("apiKeys").values({
      id,
      hash,
      teamId,
      userId: "user",
      name: "key",
      redacted: "hk-...",
      acls,
      ...(isLimited ? limits : { qps: null, qpm: null, tpm: null }),
      disabled: false,
      blocked: false,
      expireTime: null,
      createTime: 0,
      modifyTime: 0,
      modifiedBy: "user",
    }),
  );
  const chunk = 10_000;
  for (let from = 0; from < keys; from += chunk) {
    const count = Math.min(chunk, keys - from);
    await commit(
      Array.from({ length: count }, (_, index) => ({
        query: insert({ id: systemRandom.id(), hash: hashSecret(nameSecret(from + index, teamId)) }),
        rows: 1,
      })),
      false,
    );
  }
}
