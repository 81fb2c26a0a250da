/** Access groups: named lists of endpoints and models, which keys and teams can be given. */
import type { z } from "zod";
import type { accessGroupSchema } from "../../http/management/access-groups.js";
import { get, request } from "../lib/client.js";

export type AccessGroup = z.infer<typeof accessGroupSchema>;

export interface GroupSettings {
  readonly description: string;
  readonly acls: readonly string[];
}

/** Lists all groups of the server, in order of name. */
export async function listGroups(signal?: AbortSignal): Promise<readonly AccessGroup[]> {
  const { accessGroups } = await get<{ accessGroups: readonly AccessGroup[] }>(
    "/auth/access-groups",
    {},
    signal,
  );
  return accessGroups;
}

export function createGroup(name: string, settings: GroupSettings): Promise<AccessGroup> {
  return request("POST", "/auth/access-groups", { body: { name, ...settings } });
}

/** The change is effective at the next request of each key that has the group. */
export function updateGroup(name: string, settings: GroupSettings): Promise<AccessGroup> {
  return request("PUT", toPath(name), {
    body: { accessGroup: settings, fieldMask: Object.keys(settings).join() },
  });
}

/** Fails for a group that keys or teams have. */
export function deleteGroup(name: string): Promise<unknown> {
  return request("DELETE", toPath(name));
}

function toPath(name: string): string {
  return `/auth/access-groups/${encodeURIComponent(name)}`;
}
