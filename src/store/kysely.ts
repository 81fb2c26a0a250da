import {
  CamelCasePlugin,
  Kysely,
  type Dialect,
  type PluginTransformResultArgs,
  type QueryResult,
  type UnknownRow,
} from "kysely";
import type { Schema } from "./tables.js";

/** Creates what builds queries of the tables and executes them. @param dialect stores parameters by `toStored`, and returns rows by `createRowReader` */
export function createKysely(dialect: Dialect): Kysely<Schema> {
  return new Kysely<Schema>({ dialect, plugins: [new SnakeCasePlugin()] });
}

/** Writes the names of tables and columns in snake_case. The connection names the columns of results. */
class SnakeCasePlugin extends CamelCasePlugin {
  override async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result;
  }
}
