/** Asks a server which models it has in memory. */
import type { WireLoadedModel } from "../../http/inference/models/loaded-models.js";
import { askServer, type ChatServer } from "./client.js";

/** Returns the models that a server has in memory. @throws Error with the server's message if it returns an error. */
export async function fetchModelsInMemory(server: ChatServer): Promise<readonly WireLoadedModel[]> {
  const { data } = await askServer<{ data: readonly WireLoadedModel[] }>(server, "/v1/hearth/ps");
  return data;
}
