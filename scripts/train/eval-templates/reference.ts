/** Python's results: reference.py in a process of its own. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const rowsSchema = z.array(
  z.array(
    z.union([
      z.object({ text: z.string(), extended: z.boolean().default(false) }),
      z.object({ error: z.string() }),
    ]),
  ),
);

export type Reference = z.infer<typeof rowsSchema>[number][number];

/** The exit status of reference.py where jinja2 is missing. */
const missingStatus = 3;

export interface ReferenceInput {
  /** Seconds since 1970. */
  readonly now: number;
  readonly templates: readonly string[];
  readonly conversations: readonly Readonly<Record<string, unknown>>[];
}

/** Returns a row for each template, or null where Python or its jinja2 is missing. @throws Error if Python fails */
export function referenceRows(input: ReferenceInput): readonly (readonly Reference[])[] | null {
  const script = fileURLToPath(new URL("reference.py", import.meta.url));
  const { error, status, stdout, stderr } = spawnSync("python3", [script], {
    input: JSON.stringify(input),
    encoding: "utf8",
    env: { ...process.env, TZ: "UTC", PYTHONIOENCODING: "utf-8" },
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error !== undefined || status === missingStatus) return null;
  if (status !== 0) throw new Error(`reference.py ended with ${status}: ${stderr}`);
  return rowsSchema.parse(JSON.parse(stdout));
}
