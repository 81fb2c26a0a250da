/** A complete server with a pinned management key, and helpers for tests of the management API. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  createManagementKeyService,
  type CreateManagementKeyRequest,
} from "../../../src/accounts/management-keys/management-keys.js";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { buildAccountStores, type AccountStores } from "../../../src/app/accounts.js";
import type { App, Overrides } from "../../../src/app/app.js";
import { createScriptedEngine } from "../../../src/engine/scripted.js";
import type { Database } from "../../../src/store/database.js";
import { systemRandom } from "../../../src/system.js";
import { startApp, temporaryFolder, testKey } from "../../harness.js";
import { openBeside } from "../../postgres/databases.js";
import { openAgain } from "../../store/new-database.js";
import { createManualClock, type ManualClock } from "../../manual-clock.js";

export const pinnedManagementKey = "test-management-key-of-the-operator";
export const now = Date.UTC(2026, 10, 21, 12);

export const dayMs = 86_400_000;
export const allAcls = ["api-key:endpoint:*", "api-key:model:*"];

/** Formats a time for the management API. */
export function rfc3339(time: number): string {
  return new Date(time).toISOString();
}

/** Returns the status of a request to /v1 with a secret. */
export async function statusWithKey(server: ManagedServer, secret: string): Promise<number> {
  return (await server.request("GET", "/v1/models", undefined, secret)).status;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A key with its secret. */
export interface CreatedKey {
  readonly apiKeyId: string;
  readonly apiKey: string;
  readonly teamId: string;
  readonly [field: string]: unknown;
}

export interface ManagedServer {
  readonly url: string;
  readonly app: App;
  /** The server's data folder. */
  readonly data: string;
  readonly clock: ManualClock;
  readonly stores: AccountStores;
  /** A connection of its own to the server's database. */
  readonly database: Database;
  /** An API key with all permissions. */
  readonly apiKey: string;
  /** Sends a request; the default credential is the pinned management key, null sends none. */
  request(method: string, path: string, body?: unknown, credential?: string | null): Promise<Answer>;
  /** Creates a team. @returns its id. */
  createTeam(name?: string): Promise<string>;
  /** Creates an API key of a team. */
  createKey(teamId: string, fields?: object): Promise<CreatedKey>;
  /** Creates a member of a team. @returns its id. */
  createMember(teamId: string, fields?: object): Promise<string>;
  /** Creates a management key. @returns its secret. */
  createManagementKey(fields: Partial<CreateManagementKeyRequest>): Promise<string>;
}

/** Returns the JSON of an answer, the last line of a stream of lines, or null for an answer without a body. */
async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  const isLines = response.headers.get("content-type") === "application/x-ndjson";
  const last = isLines ? (text.trimEnd().split("\n").at(-1) ?? "") : text;
  return last === "" ? null : JSON.parse(last);
}

/** Starts a server over a new data folder; the clock shows `now`. */
export async function startManagedServer(
  finished: (cleanUp: () => void | Promise<void>) => void = onTestFinished,
  overrides: Overrides = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<ManagedServer> {
  const data = environment["HEARTH_DATA"] ?? join(temporaryFolder(finished), "data");
  const clock = createManualClock(now);
  const engine = createScriptedEngine(() => ["Good", " day."]);
  const { url, app } = await startApp(
    { HEARTH_DATA: data, HEARTH_MANAGEMENT_KEY: pinnedManagementKey, ...environment },
    { clock, engine, ...overrides },
    finished,
  );
  const address = environment["HEARTH_DATABASE_URL"];
  const database = await (address === undefined ? openAgain(join(data, "hearth.db")) : openBeside(address));
  finished(() => database.close());
  const stores = buildAccountStores(database);
  const managementKeys = createManagementKeyService({ ...stores, clock, random: systemRandom });
  let teamsMade = 0;
  const send: ManagedServer["request"] = async (method, path, body, credential = pinnedManagementKey) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await bodyOf(response) };
  };
  return {
    url,
    app,
    data,
    clock,
    stores,
    database,
    apiKey: testKey,
    request: send,
    createTeam: async (name) => {
      teamsMade += 1;
      const ofItsOwn = teamsMade === 1 ? "research" : `research ${teamsMade}`;
      const made = await send("POST", "/auth/teams", { name: name ?? ofItsOwn });
      return (made.body as { teamId: string }).teamId;
    },
    createKey: async (teamId, fields = {}) => {
      const created = await send("POST", `/auth/teams/${teamId}/api-keys`, { name: "laptop", ...fields });
      return created.body as CreatedKey;
    },
    createMember: async (teamId, fields = {}) => {
      const email = `${crypto.randomUUID()}@example.com`;
      const created = await send("POST", `/auth/teams/${teamId}/members`, { email, ...fields });
      return (created.body as { memberId: string }).memberId;
    },
    createManagementKey: async (fields) =>
      (await managementKeys.create({ name: "console", teamId: null, ...fields }, cliActor)).secret,
  };
}

/** Starts one server for all tests of a file; call it in `beforeAll`. */
export async function startSharedServer(
  ...options: readonly [overrides?: Overrides, environment?: NodeJS.ProcessEnv]
): Promise<{ server: ManagedServer; close: () => Promise<void> }> {
  const cleanUps: (() => void | Promise<void>)[] = [];
  const server = await startManagedServer((cleanUp) => void cleanUps.unshift(cleanUp), ...options);
  return {
    server,
    close: async () => {
      for (const cleanUp of cleanUps) await cleanUp();
    },
  };
}
