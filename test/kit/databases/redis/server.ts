/** Redis in tests. */
import { randomBytes } from "node:crypto";
import { createClient } from "@redis/client";
import { inject, it, onTestFinished } from "vitest";
import { RedisConnection } from "../../../../src/accounts/limits/redis/connection.js";
import { redisPrefix } from "../../../../src/accounts/limits/redis/windows.js";
import type { Clock } from "../../../../src/core/clock.js";
import { systemClock } from "../../../../src/system/clock.js";
import { redisProgram, spawnRedis, type RedisServer } from "./spawn.js";
import type { ManualClock } from "../../manual-clock.js";

/** The test function of vitest, and what to add to the name of a suite that is not run without a server. */
export const [withoutRedis, test] =
  inject("redisUrl") === ""
    ? [" (not run: apt-get install redis-server, or set HEARTH_TEST_REDIS)", it.runIf(false)]
    : ["", it];

/** The same for tests that need a server of their own. */
export const [withoutOwnRedis, testOwn] =
  redisProgram === null ? [" (not run: apt-get install redis-server)", it.runIf(false)] : ["", it];

/** Starts a server that a test may stop, empty and fill; it ends with the test. */
export async function startRedis(args: readonly string[] = []): Promise<RedisServer> {
  const server = await spawnRedis(args);
  onTestFinished(() => server.close());
  return server;
}

/** Returns the address of a server that all tests share: one of the tests' own, or the one in HEARTH_TEST_REDIS. */
export function redisUrl(): string {
  return inject("redisUrl");
}

/** Returns a name of an installation that no other test has. */
export function newPrefixName(): string {
  return `hearth-test-${randomBytes(6).toString("hex")}`;
}

/** Returns what the keys of such an installation begin with. */
export function newPrefix(): string {
  return redisPrefix(newPrefixName());
}

export interface ConnectOptions {
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  readonly onChange?: (problem: string | null) => void;
  readonly prefix?: string;
}

/** Opens a connection, which is closed when the test ends. */
export async function connected(url: string, options: ConnectOptions = {}): Promise<RedisConnection> {
  const {
    clock = systemClock,
    timeoutMs = 10_000,
    onChange = () => undefined,
    prefix = newPrefix(),
  } = options;
  const connection = new RedisConnection({ url, prefix, timeoutMs, clock, onChange });
  onTestFinished(() => connection.close());
  await connection.start();
  return connection;
}

/** Sends one command, as an administrator does. */
export async function command(url: string, words: readonly string[]): Promise<unknown> {
  const client = createClient({ url });
  await client.connect();
  try {
    return await client.sendCommand([...words]);
  } finally {
    client.destroy();
  }
}

/** The time limit of an attempt of a server to connect. */
const connectMsMax = 2_000;

/** Moves time on to the next attempt to connect. Time stands still while an attempt goes on: on a slow machine it takes long. */
export function advanceToAttempt(clock: ManualClock): void {
  if (!clock.isWaiting(connectMsMax)) clock.advance(100);
}
