/** Redis servers that keep nothing on disk. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The program that is started; null: none is installed. */
export const redisProgram: string | null =
  ["redis-server", "valkey-server"].find((program) => spawnSync(program, ["--version"]).status === 0) ?? null;

export interface RedisServer {
  readonly url: string;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Starts it again, at the same address and empty. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

/** Starts a server. @param args more arguments, such as `--requirepass` and its value */
export async function spawnRedis(args: readonly string[] = []): Promise<RedisServer> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), "hearth-redis-"));
  const options = Object.entries({ port, bind: "127.0.0.1", save: "", appendonly: "no", dir });
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    kill,
    async start() {
      child = spawn(
        redisProgram ?? "redis-server",
        [...options.flatMap(([name, value]) => [`--${name}`, String(value)]), ...args],
        { stdio: ["ignore", "pipe", "ignore"] },
      );
      await isReady(child);
    },
    async close() {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** @throws Error with the output of a server that ends. */
function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (data: Buffer) => {
      output += data.toString();
      if (output.includes("Ready to accept connections")) resolve();
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`Redis has ended: ${output}`)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
