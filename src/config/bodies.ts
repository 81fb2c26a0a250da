/** Settings of what the log of requests keeps of requests and answers, for teams that keep it. */
import { z } from "zod";
import { list, whole } from "./values.js";

export const bodySettings = {
  /** Characters of what is kept of each request, and as many of its answer. */
  requestBodyCharsMax: whole(256, 262_144).default(65_536),
  /** Bytes of all that is kept, over all teams: the oldest is deleted to make room. 0 keeps nothing. */
  requestBodiesBytesMax: whole(0, 1_099_511_627_776).default(1_073_741_824),
  /** How long it is kept. */
  requestBodiesKeptDays: whole(1, 365).default(7),
  /** What is removed from it before it is stored: `emails`, `secrets`, `field:<name>`, `/<pattern>/`. The server's keys always are. */
  requestBodiesRedact: list
    .pipe(
      z.array(
        z
          .string()
          .refine(
            isRule,
            "must be emails, secrets, field:<name>, or a valid /pattern/ with the flags i, m, s or u",
          ),
      ),
    )
    .default(["emails", "secrets"]),
} as const;

function isRule(rule: string): boolean {
  if (rule === "" || rule === "emails" || rule === "secrets" || /^field:\S{1,100}$/.test(rule)) return true;
  const [, source, flags] = /^\/(.{1,500})\/([imsu]{0,4})$/.exec(rule) ?? [];
  if (source === undefined) return false;
  try {
    return new RegExp(source, `g${flags ?? ""}`).source !== "";
  } catch {
    return false;
  }
}
