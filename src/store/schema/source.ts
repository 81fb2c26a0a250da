/**
 * The SQL that makes the database: the files of this folder create it, and migrations change one that is older. A migration is a file of
 * ../migrations/, in the order of their names; README.md there says how to write one.
 */
import { readdirSync, readFileSync } from "node:fs";

type DatabaseKind = "sqlite" | "postgres";

/**
 * The version of a database of the last build that had its schema in numbered migrations. With the migrations of this build it has the schema
 * of this folder.
 */
export const formerVersion = 48;

/** The version of this folder's schema without any migration. */
const firstVersion = 49;

/** The build that brings an older database to `formerVersion`. */
const formerCommit = "3f628097d5f7";

/** What one kind of database needs to have the newest schema. */
export interface SchemaSource {
  readonly kind: DatabaseKind;
  /** Creates everything in an empty database, as it is after all migrations. */
  readonly creation: string;
  /** The SQL of each migration, in order. The version of a database grows by one with each. */
  readonly migrations: readonly string[];
}

const ownFolder = new URL("../migrations/", import.meta.url);

/** Reads the schema and the migrations. @param folder another folder of migrations, for tests */
export function readSchemaSource(kind: DatabaseKind, folder: URL = ownFolder): SchemaSource {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return {
    kind,
    creation: readFileSync(new URL(`./${kind}.sql`, import.meta.url), "utf8"),
    migrations: names.sort().map((name) => readPart(name, readFileSync(new URL(name, folder), "utf8"), kind)),
  };
}

/** Returns the newest version. */
export function newestVersion({ migrations }: SchemaSource): number {
  return firstVersion + migrations.length;
}

/** Returns the migrations that a database of this version needs. @throws Error when it is older than the first or newer than the last one. */
export function pendingMigrations(version: number, source: SchemaSource): readonly string[] {
  const newest = newestVersion(source);
  if (version > newest)
    throw new Error(
      `it was written by a newer version of Hearth (schema ${version}; this one knows ${newest}): ` +
        `upgrade Hearth${source.kind === "sqlite" ? " or use another data folder" : ""}`,
    );
  if (version < firstVersion)
    throw new Error(
      `it was written by an earlier build of Hearth (schema ${version}): start the build of commit ${formerCommit} with it once, then this one`,
    );
  return source.migrations.slice(version - firstVersion);
}

/** The error of a database of `formerVersion` that has another schema. @param object what differs */
export function differentSchema(object: string): Error {
  return new Error(
    `its schema is not the one that Hearth creates (${object} differs): start the build of commit ${formerCommit} with it once, then this one, ` +
      "or restore a backup",
  );
}

/** Returns the lines of a migration that follow the comment with the name of the database. */
function readPart(name: string, text: string, kind: DatabaseKind): string {
  const parts = text.split(/^-- (sqlite|postgres)$/m);
  const place = parts.indexOf(kind);
  if (place < 0) throw new Error(`the migration ${name} has no line '-- ${kind}'`);
  return parts[place + 1] ?? "";
}
