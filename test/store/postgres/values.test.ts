import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { createApiKeyStore } from "../../../src/accounts/keys/store.js";
import { createTeamStore } from "../../../src/accounts/teams/store.js";
import { parsePostgresUrl } from "../../../src/store/postgres/address.js";
import { aKey } from "../../kit/a-key.js";
import { newPostgresUrl, openBeside } from "../../kit/databases/postgres/databases.js";
import { aTeam } from "../records.js";

async function opened() {
  const database = await openBeside(await newPostgresUrl());
  onTestFinished(() => database.close());
  return database;
}

it("whole numbers are exact: what JavaScript would round is an error", async () => {
  const { kysely } = await opened();
  const read = async (text: string): Promise<unknown> =>
    (await sql.raw<{ n: unknown }>(`select ${text} as n`).execute(kysely)).rows[0]?.n;
  expect(await read("9007199254740991::bigint")).toBe(Number.MAX_SAFE_INTEGER);
  expect(await read("(select sum(x) from (values (1::bigint), (2)) as v (x))")).toBe(3);
  expect(await read("cast(9007199254740993::bigint as text)")).toBe("9007199254740993");
  await expect(read("9007199254740993::bigint")).rejects.toThrow(
    /9007199254740993, which is no exact number/,
  );
});

it("texts are compared by their code points, as in SQLite", async () => {
  const database = await opened();
  const teams = createTeamStore(database);
  const ids = ["a", "B", "ä", "Z", "z", "\u{10000}", "\uffff"];
  for (const [at, id] of ids.entries()) await teams.insert(aTeam({ id, name: `team ${at}` }));
  expect((await teams.list()).map(({ id }) => id)).toEqual(["B", "Z", "a", "z", "ä", "\uffff", "\u{10000}"]);
});

it("a text with U+0000 is refused as a value of the request", async () => {
  const database = await opened();
  await createTeamStore(database).insert(aTeam());
  await expect(createApiKeyStore(database).insert(aKey({ name: "a\u0000b" }))).rejects.toMatchObject({
    kind: "invalid_value",
  });
});

it("the parameters of TLS are those of PostgreSQL's own clients", () => {
  const of = (search: string) => parsePostgresUrl(`postgres://ada:secret@db.example.com/hearth${search}`);
  expect(of("").ssl).toBe(false);
  expect(of("?sslmode=disable").ssl).toBe(false);
  expect(of("?sslmode=require").ssl).toMatchObject({ rejectUnauthorized: false });
  expect(of("?sslmode=verify-ca").ssl).toHaveProperty("checkServerIdentity");
  expect(of("?sslmode=verify-full").ssl).not.toHaveProperty("rejectUnauthorized");
  expect(of("?sslmode=require&options=-c%20search_path%3Dx")).toMatchObject({
    connectionString: "postgres://ada:secret@db.example.com/hearth?options=-c+search_path%3Dx",
    shown: "postgres://ada@db.example.com/hearth",
  });
  expect(() => of("?sslmode=prefer")).toThrow(
    "sslmode must be one of disable, require, verify-ca, verify-full",
  );
  expect(() => of("?sslmode=verify-full&sslrootcert=/nowhere/ca.pem")).toThrow("cannot read /nowhere/ca.pem");
});
