/** A whole server with a pinned management key, and what a test of the management plane asks of it. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  createManagementKeyService,
  type ManagementKeyWish,
} from "../../../src/accounts/management-keys/management-keys.js";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { buildAccountStores, type AccountStores } from "../../../src/app/accounts.js";
import type { App, Overrides } from "../../../src/app/app.js";
import { createScriptedEngine } from "../../../src/engine/scripted.js";
import { openDatabase } from "../../../src/store/database.js";
import { systemRandom } from "../../../src/system.js";
import { startApp, temporaryFolder, testKey } from "../../harness.js";
import { createManualClock, type ManualClock } from "../manual-clock.js";

export const pinnedManagementKey = "test-management-key-of-the-operator";
export const now = Date.UTC(2026, 10, 21, 12);

export const dayMs = 86_400_000;
export const everything = ["api-key:endpoint:*", "api-key:model:*"];

/** A time as the plane takes it. */
export function rfc3339(time: number): string {
  return new Date(time).toISOString();
}

/** Status of a request to /v1 with that secret. */
export async function opens(server: Managed, secret: string): Promise<number> {
  return (await server.ask("GET", "/v1/models", undefined, secret)).status;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A key as the plane told it. */
export interface ToldKey {
  readonly apiKeyId: string;
  readonly apiKey: string;
  readonly teamId: string;
  readonly [field: string]: unknown;
}

export interface Managed {
  readonly url: string;
  readonly app: App;
  /** The server's data folder. */
  readonly data: string;
  readonly clock: ManualClock;
  readonly stores: AccountStores;
  /** An API key that opens all of /v1. */
  readonly apiKey: string;
  /** Asks; with the pinned management key where no other credential is given, with none where it is null. */
  ask(method: string, path: string, body?: unknown, credential?: string | null): Promise<Answer>;
  /** A new team's id. */
  team(name?: string): Promise<string>;
  /** A new API key of the team. */
  key(teamId: string, wish?: object): Promise<ToldKey>;
  /** Id of a new member of the team. */
  member(teamId: string, wish?: object): Promise<string>;
  /** Secret of a new management key. */
  manager(wish: Partial<ManagementKeyWish>): Promise<string>;
}

/** The server over a fresh data folder; the clock stands at `now`. */
export async function managed(
  finished: (cleanUp: () => void | Promise<void>) => void = onTestFinished,
  overrides: Overrides = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<Managed> {
  const data = environment["HEARTH_DATA"] ?? join(temporaryFolder(finished), "data");
  const clock = createManualClock(now);
  const engine = createScriptedEngine(() => ["Good", " day."]);
  const { url, app } = await startApp(
    { HEARTH_DATA: data, HEARTH_MANAGEMENT_KEY: pinnedManagementKey, ...environment },
    { clock, engine, ...overrides },
    finished,
  );
  const database = await openDatabase(join(data, "hearth.db"));
  finished(() => database.close());
  const stores = buildAccountStores(database);
  const managementKeys = createManagementKeyService({ ...stores, clock, random: systemRandom });
  const ask: Managed["ask"] = async (method, path, body, credential = pinnedManagementKey) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    url,
    app,
    data,
    clock,
    stores,
    apiKey: testKey,
    ask,
    team: async (name = "research") =>
      ((await ask("POST", "/auth/teams", { name })).body as { teamId: string }).teamId,
    key: async (teamId, wish = {}) => {
      const made = await ask("POST", `/auth/teams/${teamId}/api-keys`, { name: "laptop", ...wish });
      return made.body as ToldKey;
    },
    member: async (teamId, wish = {}) => {
      const email = `${crypto.randomUUID()}@example.com`;
      const made = await ask("POST", `/auth/teams/${teamId}/members`, { email, ...wish });
      return (made.body as { memberId: string }).memberId;
    },
    manager: async (wish) =>
      (await managementKeys.create({ name: "console", teamId: null, ...wish }, cliActor)).secret,
  };
}

/** One such server for all tests of a file. To be called outside of them, in `beforeAll`. */
export async function sharedManaged(
  ...options: readonly [overrides?: Overrides, environment?: NodeJS.ProcessEnv]
): Promise<{ server: Managed; close: () => Promise<void> }> {
  const cleanUps: (() => void | Promise<void>)[] = [];
  const server = await managed((cleanUp) => void cleanUps.unshift(cleanUp), ...options);
  return {
    server,
    close: async () => {
      for (const cleanUp of cleanUps) await cleanUp();
    },
  };
}
