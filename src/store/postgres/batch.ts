/**
 * Executes several statements in one exchange with the server. The client of PostgreSQL sends a statement with parameters only when the
 * one before has been answered; here each is prepared once on a connection, and then executed by name with its parameters as literals.
 */
import pg from "pg";
import { toStored } from "../rows.js";
import { nameStatement } from "./pool.js";

export interface BatchStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** What was prepared on a connection. */
const preparedOn = new WeakMap<object, Set<string>>();

/** Executes the statements between texts that have no parameters. When one fails, those that follow are not executed. */
export async function executeBatch(
  client: pg.PoolClient,
  before: readonly string[],
  statements: readonly BatchStatement[],
  after: readonly string[],
): Promise<void> {
  const executions: string[] = [];
  for (const { sql, parameters } of statements) {
    const name = await prepareOn(client, sql);
    const values = toStored(parameters).map(writeLiteral);
    executions.push(`execute ${name}${values.length === 0 ? "" : ` (${values.join(", ")})`}`);
  }
  await client.query([...before, ...executions, ...after].join("; "));
}

/** Whether the parameters can be written as literals: a text with the character U+0000 would end the statement. */
export function canBeBatched(statements: readonly BatchStatement[]): boolean {
  return statements.every(({ sql, parameters }) => {
    if (nameStatement(sql) === undefined) return false;
    return parameters.every((value) => typeof value !== "string" || !value.includes("\0"));
  });
}

async function prepareOn(client: pg.PoolClient, sql: string): Promise<string> {
  const name = `"batched ${nameStatement(sql) ?? ""}"`;
  let known = preparedOn.get(client);
  if (known === undefined) preparedOn.set(client, (known = new Set()));
  if (!known.has(name)) {
    await client.query(`prepare ${name} as ${sql}`);
    known.add(name);
  }
  return name;
}

/** Writes a value as a literal of no type: the statement that was prepared knows its type. */
function writeLiteral(value: unknown): string {
  if (value == null) return "null";
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString("hex")}'`;
  if (typeof value === "string") return pg.escapeLiteral(value);
  if (typeof value === "number" || typeof value === "bigint") return `'${value}'`;
  throw new Error(`a value of type ${typeof value} cannot be a parameter`);
}
