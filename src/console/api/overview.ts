/** What the server does now, and what it has done today. */
import type { z } from "zod";
import type { overviewSchema } from "../../http/management/overview.js";
import { get } from "../lib/client.js";

export type Overview = z.infer<typeof overviewSchema>;

/** @param teamId undefined: of all that the member may see. @param from start of the day, in milliseconds since 1970 */
export function getOverview(
  teamId: string | undefined,
  from: number,
  signal?: AbortSignal,
): Promise<Overview> {
  return get("/admin/overview", { teamId, from: new Date(from).toISOString() }, signal);
}
