/**
 * `npm run bench -- schema --data DIR [--limit N] [--only TEXT] [--verbose]`: measures how many real schemas
 * are supported, and how exactly. DIR contains folders of schemas with tests (`jsonschemabench*`, `schemas*`:
 * files of `{schema, tests: [{valid, data}]}`) and the official suite (`json-schema-test-suite`). No model is
 * needed: llama.cpp's own matcher tests the grammars.
 */
import { readFileSync } from "node:fs";
import type { SectionOptions } from "./options.js";
import { schemaFiles, suiteFiles, type SchemaFile } from "./schema/corpus.js";
import { forcedRows } from "./schema/forced.js";
import { failingLines, lostLine } from "./schema/failing.js";
import { createPool, type Pool } from "./schema/pool.js";
import { schemaRows, suiteRow } from "./schema/rows.js";
import { servedRows } from "./schema/served.js";
import { SchemaTally } from "./schema/tally.js";
import type { Lost, SuiteCount, Verdicts } from "./schema/verdict.js";
import { toRow, type Row } from "../figures/table.js";

export async function* schemaSection({ schema: options }: SectionOptions): AsyncGenerator<readonly Row[]> {
  const { data, only, verbose } = options;
  if (data === null) {
    yield [toRow("skipped", "requires --data DIR")];
    return;
  }
  const pool = createPool(verbose ? "inherit" : "ignore");
  const note = (lines: readonly string[]): void => {
    if (verbose) for (const line of lines) process.stdout.write(`    ${line}\n`);
  };
  const files = schemaFiles(data, options);
  if (files.length > 0) yield schemaRows(await evaluateFiles(files, pool, note));
  if (files.length > 0) yield await servedRows(files);
  if (files.length > 0) yield await forcedRows(files);
  for (const [draft, paths] of suiteFiles(data, only))
    if (paths.length > 0) yield [suiteRow(draft, await evaluateDraft(draft, paths, pool, note))];
  pool.close();
}

type Note = (lines: readonly string[]) => void;

async function evaluateFiles(files: readonly SchemaFile[], pool: Pool, note: Note): Promise<SchemaTally> {
  const tally = new SchemaTally();
  for (const file of files) {
    const answer = (await pool.run({ kind: "schema", path: file.path })) as Verdicts | Lost;
    tally.add(file.split, hasTests(file.path), answer);
    note("stage" in answer ? [lostLine(file.name, answer)] : failingLines(file.name, answer));
  }
  return tally;
}

async function evaluateDraft(
  draft: string,
  paths: readonly string[],
  pool: Pool,
  note: Note,
): Promise<readonly (SuiteCount | Lost)[]> {
  const counts: (SuiteCount | Lost)[] = [];
  for (const path of paths) {
    const answer = (await pool.run({ kind: "suite", path, draft })) as SuiteCount | Lost;
    counts.push(answer);
    const name = `${draft}/${path.split("/").at(-1) ?? path}`;
    note("stage" in answer ? [lostLine(name, answer)] : answer.failures.map((line) => `${name} ${line}`));
  }
  return counts;
}

function hasTests(path: string): boolean {
  const { tests } = JSON.parse(readFileSync(path, "utf8")) as { tests?: readonly unknown[] };
  return tests !== undefined && tests.length > 0;
}
