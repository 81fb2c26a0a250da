import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export interface SchemaFile {
  readonly path: string;
  readonly name: string;
  /** The collection that it belongs to. */
  readonly split: string;
}

export interface Selection {
  /** The number of files, sampled evenly; null: all. */
  readonly limit: number | null;
  /** Only names that contain this text; "": all. */
  readonly only: string;
}

/**
 * Returns the files of schemas with tests: one JSON file each in `DIR/jsonschemabench*` and `DIR/schemas*`,
 * or in DIR itself.
 */
export function schemaFiles(data: string, { limit, only }: Selection): readonly SchemaFile[] {
  const folders = readdirSync(data, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^(?:jsonschemabench|schemas)/.test(entry.name))
    .map((entry) => join(data, entry.name));
  const found = (folders.length > 0 ? folders : [data]).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".json") && name.includes(only))
      .sort()
      .map((name) => ({ path: join(folder, name), name, split: readSplit(name) })),
  );
  if (limit === null || limit >= found.length) return found;
  return Array.from({ length: limit }, (_, nth) => found[Math.floor((nth * found.length) / limit)]).filter(
    (file) => file !== undefined,
  );
}

const drafts = ["draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"] as const;

/** Returns the mandatory files of the official suite under `DIR/json-schema-test-suite`, by draft. */
export function suiteFiles(data: string, only: string): ReadonlyMap<string, readonly string[]> {
  const tests = join(data, "json-schema-test-suite", "tests");
  if (!existsSync(tests)) return new Map();
  return new Map(
    drafts.map((draft) => [
      draft,
      readdirSync(join(tests, draft))
        .filter((name) => name.endsWith(".json") && `${draft}/${name}`.includes(only))
        .map((name) => join(tests, draft, name)),
    ]),
  );
}

/**
 * Returns the collection of a file: Github_easy for `Github_easy---o1008.json`, BFCL for `BFCL_java_11.json`.
 */
function readSplit(name: string): string {
  const [before = name, after] = name.split("---");
  return after === undefined ? (before.split("_")[0] ?? before) : before;
}
