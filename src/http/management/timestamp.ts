import { z } from "zod";

/** A time in an answer. */
export const timeSchema = z.string().describe("RFC 3339, with microseconds.");

/** Formats a time as RFC 3339 with six decimals of a second, as the hosted service does. */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "000Z");
}
