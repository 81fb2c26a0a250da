/** The models that keys, teams and access groups can be allowed. */
import type { WireModel } from "../../http/management/models/present-model.js";
import type { WireTeamModels } from "../../http/management/teams/models.js";
import { get } from "../lib/client.js";

/** Lists the names of the models that keys of a team can be given. */
export async function listKeyModels(teamId: string, signal?: AbortSignal): Promise<readonly string[]> {
  const { clusterConfigs } = await get<WireTeamModels>(`/auth/teams/${teamId}/models`, {}, signal);
  const lists = clusterConfigs.flatMap((cluster) => Object.values(cluster));
  return lists.flatMap((list) => (typeof list === "string" ? [] : list.map(({ name }) => name)));
}

/** Lists the ids of all models of the server. */
export async function listModelIds(signal?: AbortSignal): Promise<readonly string[]> {
  const { data } = await get<{ data: readonly WireModel[] }>("/admin/models", {}, signal);
  return data.map(({ id }) => id);
}

/** Returns the path of a model. Its ID may have slashes, which stay. */
export function toModelPath(id: string): string {
  return `/admin/models/${id.split("/").map(encodeURIComponent).join("/")}`;
}
