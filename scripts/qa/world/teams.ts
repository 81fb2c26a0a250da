import { join } from "node:path";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { createKeyService } from "../../../src/accounts/keys/keys.js";
import { createTeamService } from "../../../src/accounts/teams/teams.js";
import { buildAccountStores } from "../../../src/app/accounts.js";
import { openDatabase } from "../../../src/store/database.js";
import { systemClock, systemRandom } from "../../../src/system.js";
import type { Target } from "./client.js";
import type { BenchServer } from "./server.js";

/** Creates another team and its key in the database of a running server and returns a client of it. */
export async function addTeam(server: BenchServer, name: string): Promise<Target> {
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
