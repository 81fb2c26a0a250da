import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  type QueryResult,
} from "kysely";
import type { Schema } from "../../tables.js";
import { createKysely } from "../../kysely.js";
import type { ReportReader } from "./reader.js";

/** Returns what builds queries and has them read by `reader`. It has no transactions and writes nothing. */
export function createReportKysely(reader: ReportReader): Kysely<Schema> {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      return { rows: (await reader.read(sql, parameters)) as Row[] };
    },
    // oxlint-disable-next-line require-yield
    async *streamQuery() {
      throw refused();
    },
  };
  const refuse = (): Promise<void> => Promise.reject(refused());
  const driver: Driver = {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: () => Promise.resolve(),
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: () => reader.close(),
  };
  return createKysely({
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  });
}

function refused(): Error {
  return new Error("the connection of reports answers single statements");
}
