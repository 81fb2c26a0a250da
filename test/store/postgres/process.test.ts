import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestProcess, runProgram, startProcess } from "../../kit/program.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { newPostgresUrl } from "../../kit/databases/postgres/databases.js";

function chat({ url }: TestProcess, more: object = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: builtInModel,
      messages: [{ role: "user", content: "Hello" }],
      max_tokens: 4,
      ...more,
    }),
  });
}

async function run(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const program = runProgram(args, environment);
  return { code: await program.exited, out: program.stdout(), err: program.stderr() };
}

it("a server over PostgreSQL serves chats, deferred ones too, and commands work beside it; killed, it goes on", async () => {
  const environment = {
    HEARTH_DATA: join(temporaryFolder(), "data"),
    HEARTH_DATABASE_URL: await newPostgresUrl(),
    HEARTH_API_KEY: testKey,
  };
  const first = await startProcess(environment);
  expect((await chat(first)).status).toBe(200);
  const { request_id: id } = (await (await chat(first, { deferred: true })).json()) as { request_id: string };
  const keys = await run(["keys", "ls"], environment);
  expect([keys.code, keys.out]).toEqual([0, expect.stringContaining("...ters")]);
  const created = await run(["keys", "create", "--name", "laptop"], environment);
  const secret = /hk-\w+/.exec(created.out)?.[0] ?? "";
  const models = (server: TestProcess) =>
    fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  expect((await models(first)).status).toBe(200);
  first.child.kill("SIGKILL");
  const second = await startProcess(environment);
  expect((await models(second)).status).toBe(200);
  const deferred = (): Promise<Response> =>
    fetch(`${second.url}/v1/chat/deferred-completion/${id}`, {
      headers: { authorization: `Bearer ${testKey}` },
    });
  let status = 202;
  let isAsking = false;
  await until(() => {
    if (!isAsking && status === 202) {
      isAsking = true;
      void deferred().then((answer) => {
        status = answer.status;
        isAsking = false;
      });
    }
    return status !== 202;
  });
  expect(status).toBe(200);
  expect(await run(["ledger", "verify"], environment)).toMatchObject({
    code: 0,
    out: "The ledger balances.\n",
  });
});

it("commands that are for SQLite name the tool of PostgreSQL, and no command shows the address", async () => {
  const secret = "a-secret-password";
  const url = new URL(await newPostgresUrl());
  const environment = {
    HEARTH_DATA: join(temporaryFolder(), "data"),
    HEARTH_DATABASE_URL: url.href,
  };
  const backup = await run(["backup", "x.tar.gz"], environment);
  expect([backup.code, backup.err]).toEqual([
    1,
    expect.stringContaining("use pg_dump, and copy the data folder"),
  ]);
  const restore = await run(["restore", "x.tar.gz"], environment);
  expect([restore.code, restore.err]).toEqual([1, expect.stringContaining("use pg_restore")]);
  url.password = secret;
  const wrong = { ...environment, HEARTH_DATABASE_URL: url.href };
  const doctor = await run(["doctor"], wrong);
  expect(doctor.out).toMatch(/databaseUrl +set +HEARTH_DATABASE_URL/);
  const keys = await run(["keys", "ls"], wrong);
  expect([keys.code, keys.err]).toEqual([1, expect.stringContaining("the user or the password is wrong")]);
  expect(JSON.stringify([doctor, keys])).not.toContain(secret);
});
