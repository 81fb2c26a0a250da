/** Settings of what operators observe: labels of metrics, and the content of traces and of the log of requests. */
import { z } from "zod";
import { bodySettings } from "./bodies.js";
import { onOff, whole } from "./values.js";

export const metricsSettings = {
  /** Whether metrics of runs have the id of the team as a label, or the ids of the team and the API key. */
  metricsLabels: z.enum(["none", "team", "key"]).default("none"),
  /** Teams, or keys, that have labels of their own; the others share `other`. */
  metricsLabelsMax: whole(1, 10_000).default(200),
  /** Whether traces hold what models read and write. */
  traceContent: onOff.default(false),
  ...bodySettings,
} as const;
