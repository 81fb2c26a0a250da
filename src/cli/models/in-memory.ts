import type { KnownInMemory } from "../../doctor/model-fit.js";
import type { Config } from "../../config/config.js";
import { fetchModelsInMemory } from "../server/models-in-memory.js";
import { findServer } from "../server/running-server.js";

/** Returns the models that the running server has in memory; none if no server is running. @throws Error if it cannot be asked. */
export async function modelsInMemory(config: Config): Promise<readonly KnownInMemory[]> {
  const server = await findServer(config);
  if (server === null) return [];
  const models = await fetchModelsInMemory(server);
  return models.map(({ id, bytes, until }) => ({ id, bytes, isUsed: until === null }));
}
