import { join } from "node:path";
import { createKeyService } from "../../src/accounts/keys.js";
import { createApiKeyStore } from "../../src/store/api-keys.js";
import { openDatabase } from "../../src/store/database.js";
import { createTeamStore } from "../../src/store/teams.js";
import { systemClock, systemRandom } from "../../src/system.js";
import type { Target } from "./client.js";
import type { BenchServer } from "./server.js";

/** A client of another team of a running server: the team and its key are written beside it. */
export async function addTeam(server: BenchServer, name: string): Promise<Target> {
  const database = await openDatabase(join(server.dataFolder, "hearth.db"));
  try {
    const teams = createTeamStore(database);
    const keys = createApiKeyStore(database);
    const id = systemRandom.id();
    const createTime = systemClock.now();
    await teams.insert({ id, name, billing: "unmetered", blocked: false, weight: 1, createTime });
    const service = createKeyService({ keys, teams, clock: systemClock, random: systemRandom });
    const { secret } = await service.create({ teamId: id, name });
    return { url: server.url, key: secret };
  } finally {
    await database.close();
  }
}
