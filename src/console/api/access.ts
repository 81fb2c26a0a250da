/** What keys and teams can be allowed: endpoints, models and access groups. */
import { get } from "../lib/client.js";
import { listGroups } from "./groups.js";
import { listModels } from "./models.js";

/** Lists the access groups of the server, as the names in their ACLs. */
export async function listGroupNames(signal?: AbortSignal): Promise<readonly string[]> {
  return (await listGroups(signal)).map(({ name }) => name);
}

/** Lists the endpoints that keys of a team can be given, as the names in their ACLs. @param all also those that the team does not allow */
export async function listEndpoints(
  teamId: string,
  signal?: AbortSignal,
  all = false,
): Promise<readonly string[]> {
  const { acls } = await get<{ acls: readonly { value: string }[] }>(
    `/auth/teams/${teamId}/endpoints`,
    { all: all ? true : undefined },
    signal,
  );
  return acls.map(({ value }) => value);
}

/** Lists the names of the models that keys of a team can be given. */
export async function listKeyModels(teamId: string, signal?: AbortSignal): Promise<readonly string[]> {
  type Named = readonly { readonly name: string }[];
  const { clusterConfigs } = await get<{ clusterConfigs: readonly Record<string, Named | string>[] }>(
    `/auth/teams/${teamId}/models`,
    {},
    signal,
  );
  const lists = clusterConfigs.flatMap((cluster) => Object.values(cluster));
  return lists.flatMap((list) => (typeof list === "string" ? [] : list.map(({ name }) => name)));
}

/** Lists the ids of all models of the server. */
export async function listModelIds(signal?: AbortSignal): Promise<readonly string[]> {
  return (await listModels(signal)).map(({ id }) => id);
}
