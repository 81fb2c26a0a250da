/** What answers of the management API share. */
import { z } from "zod";
import { responseObject } from "../response-fields.js";

/** A time in an answer. */
export const timeSchema = z.string().describe("RFC 3339, with microseconds.");

/** The empty answer of a deletion. */
export const emptySchema = responseObject({}).meta({ id: "Empty", description: "The request succeeded." });

/** Name of the only cluster: this server. */
export const clusterName = "local";

/** Formats a time as RFC 3339 with six decimals of a second, as the hosted service does. A time that is null is absent. */
export function timestamp(epochMs: number): string;
export function timestamp(epochMs: number | null): string | undefined;
export function timestamp(epochMs: number | null): string | undefined {
  return epochMs === null ? undefined : new Date(epochMs).toISOString().replace("Z", "000Z");
}
