/** Settings of what operators observe: labels of metrics, and the content of traces and of the log of requests. */
import { z } from "zod";
import { list, onOff, whole } from "./values.js";

export const metricsSettings = {
  /** Whether metrics of runs have the id of the team as a label, or the ids of the team and the API key. */
  metricsLabels: z.enum(["none", "team", "key"]).default("none"),
  /** Teams, or keys, that have labels of their own; the others share `other`. */
  metricsLabelsMax: whole(1, 10_000).default(200),
  /** Whether traces hold what models read and write. */
  traceContent: onOff.default(false),
  /** Characters that the log of requests keeps of each request, and as many of its answer, for teams that keep them. */
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
