/**
 * Hands out empty databases of one PostgreSQL server to the tests of all processes. It runs in the process of the test runner, and
 * starts the server with the first request.
 */
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { randomBytes } from "node:crypto";
import { migratePostgres } from "../../../../src/store/postgres/migrate.js";
import { parsePostgresUrl } from "../../../../src/store/postgres/address.js";
import { startOwnPostgres } from "./own.js";
import { clean, connected, readCleaning, type Cleaning } from "./clean.js";

/** Speed instead of safety: nobody needs the data of a test after a power cut. */
const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
  shared_buffers: "64MB",
  autovacuum: "off",
};

export interface PostgresHost {
  /** Where processes ask for databases: POST / returns the address of a new one, DELETE / with its name removes it. */
  readonly url: string;
  close(): Promise<void>;
}

interface StartedPostgres {
  /** The address of the database `postgres`. */
  readonly url: string;
  /** A migrated database, which new ones are copies of. */
  readonly template: string;
  readonly cleaning: Cleaning;
  /** Names of databases that were given back, and are as new. */
  readonly free: string[];
  readonly stop: () => Promise<void>;
}

/** Starts to wait for requests. @param given a server to use instead of one of its own. */
export async function startPostgresHost(given: string | undefined): Promise<PostgresHost> {
  let started: Promise<StartedPostgres> | null = null;
  let removals = Promise.resolve();
  const http = createServer((req, res) => {
    started ??= start(given);
    const work = started.then((postgres) => {
      if (req.method !== "DELETE") return create(postgres);
      // Nobody waits for it, so that removals take turns with what tests do.
      removals = removals.then(() => remove(postgres, (req.url ?? "/").slice(1))).catch(() => undefined);
      return "";
    });
    void work.then(
      (url) => res.end(url),
      (thrown: unknown) => {
        res.statusCode = 500;
        res.end(String(thrown));
      },
    );
  });
  const { port } = await listening(http);
  http.unref();
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      http.close();
      http.closeAllConnections();
      await removals;
      await (await started?.catch(() => null))?.stop();
    },
  };
}

async function start(given: string | undefined): Promise<StartedPostgres> {
  const { url, stop } =
    given === undefined || given === "" ? await startOwnPostgres(settings) : { url: given, stop: noStop };
  const template = `hearth_test_${randomBytes(6).toString("hex")}`;
  await admin(url, `create database ${template}`);
  await migratePostgres(parsePostgresUrl(withName(url, template)));
  return {
    url,
    template,
    cleaning: await connected(withName(url, template), readCleaning),
    free: [],
    async stop() {
      await admin(url, `drop database if exists ${template} with (force)`).catch(() => undefined);
      await stop();
    },
  };
}

const noStop = (): Promise<void> => Promise.resolve();

let count = 0;

/** A copy of the template takes 200 ms; most databases belong to tests that have ended. */
async function create({ url, template, free }: StartedPostgres): Promise<string> {
  const cleaned = free.pop();
  if (cleaned !== undefined) return withName(url, cleaned);
  const name = `${template}_${++count}`;
  await admin(url, `create database ${name} template ${template} strategy file_copy`);
  return withName(url, name);
}

/** Makes a database as new, or drops it where that cannot be. */
async function remove({ url, template, cleaning, free }: StartedPostgres, name: string): Promise<void> {
  if (!name.startsWith(`${template}_`) || !/^\w+$/.test(name)) return;
  const isClean = await connected(withName(url, name), (client) => clean(client, cleaning)).catch(
    () => false,
  );
  if (isClean) free.push(name);
  else await admin(url, `drop database if exists ${name} with (force)`);
}

async function admin(url: string, statement: string): Promise<void> {
  await connected(url, (client) => client.query(statement));
}

function withName(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

function listening(server: Server): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(server.address() as AddressInfo));
  });
}
