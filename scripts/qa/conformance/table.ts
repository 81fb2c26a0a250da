/** The closing table of the conformance run: a row for each client, in Markdown. */
import type { FlowResult } from "./flows.js";

export interface ClientRow {
  readonly client: string;
  readonly version: string;
  /** Why the client did not run, instead of its flows. */
  readonly results: readonly FlowResult[] | string;
  /** What the table shows for a client without flows; absent: `not run`. */
  readonly passed?: string;
}

/** What people point at a local server and this run cannot try. */
const legend = [
  "Cursor, Zed, Open WebUI: not run, no npm package has them. n8n: its nodes for models are run, not its editor.",
  "Clients in Python: not run.",
];

/** Returns the number of flows that failed. */
export function countFailures({ results }: ClientRow): number {
  return typeof results === "string" ? 0 : results.filter(({ problem }) => problem !== null).length;
}

/** Returns the table, the problems below it, and the legend. */
export function formatTable(rows: readonly ClientRow[]): string {
  const cells = [["client", "version", "flows", "passed"], ...rows.map(toCells)];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...cells.map((row) => (row[at] ?? "").length)));
  const lines = cells.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`);
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  const problems = rows.flatMap(({ client, results }) =>
    typeof results === "string" ? [] : results.flatMap((result) => formatProblem(client, result)),
  );
  return [...lines, "", ...problems, ...legend.map((line) => `- ${line}`), ""].join("\n");
}

function toCells(row: ClientRow): readonly string[] {
  const { client, version, results, passed = "not run" } = row;
  if (typeof results === "string") return [client, version, results.replaceAll("|", "/"), passed];
  const flows = results.map(({ flow }) => flow).join(", ");
  return [client, version, flows, `${results.length - countFailures(row)} of ${results.length}`];
}

function formatProblem(client: string, { flow, problem }: FlowResult): readonly string[] {
  return problem === null ? [] : [`- FAILED ${client}, ${flow}: ${problem.replaceAll("\n", " ")}`];
}
