/** The management API of a server, for tests: requests with the pinned management key, and the accounts that they create. */
import {
  createManagementKeyService,
  type CreateManagementKeyRequest,
} from "../../../src/accounts/management-keys/management-keys.js";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import type { AccountStores } from "../../../src/app/accounts.js";
import type { Clock } from "../../../src/core/clock.js";
import { systemRandom } from "../../../src/system/clock.js";
import { pinnedManagementKey } from "./settings.js";

/** What the clock of a managed server shows first. */
export const now = Date.UTC(2026, 10, 21, 12);

export const dayMs = 86_400_000;
export const allAcls = ["api-key:endpoint:*", "api-key:model:*"];

/** Formats a time for the management API. */
export function rfc3339(time: number): string {
  return new Date(time).toISOString();
}

/** Returns the status of a request to /v1 with a secret. */
export async function statusWithKey(server: Management, secret: string): Promise<number> {
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

export interface Management {
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

/** Returns the requests of a server at this address. @param stores for keys that only commands create */
export function manage(url: string, stores: AccountStores, clock: Clock): Management {
  const managementKeys = createManagementKeyService({
    ...stores,
    findMember: (id) => stores.members.find(id),
    clock,
    random: systemRandom,
  });
  let teamsMade = 0;
  const request: Management["request"] = async (method, path, body, credential = pinnedManagementKey) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await readBody(response) };
  };
  return {
    request,
    createTeam: async (name) => {
      teamsMade += 1;
      const ownName = teamsMade === 1 ? "research" : `research ${teamsMade}`;
      const made = await request("POST", "/auth/teams", { name: name ?? ownName });
      return (made.body as { teamId: string }).teamId;
    },
    createKey: async (teamId, fields = {}) => {
      const created = await request("POST", `/auth/teams/${teamId}/api-keys`, { name: "laptop", ...fields });
      return created.body as CreatedKey;
    },
    createMember: async (teamId, fields = {}) => {
      const email = `${crypto.randomUUID()}@example.com`;
      const created = await request("POST", `/auth/teams/${teamId}/members`, { email, ...fields });
      return (created.body as { memberId: string }).memberId;
    },
    createManagementKey: async (fields) =>
      (await managementKeys.create({ name: "console", teamId: null, ...fields }, cliActor)).secret,
  };
}

/** Returns the JSON of an answer, the last line of a stream of lines, or null for an answer without a body. */
async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  const isLines = response.headers.get("content-type") === "application/x-ndjson";
  const last = isLines ? (text.trimEnd().split("\n").at(-1) ?? "") : text;
  return last === "" ? null : JSON.parse(last);
}
