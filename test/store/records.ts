import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AuditEvent } from "../../src/accounts/audit/event.js";
import type { Job } from "../../src/jobs/job.js";
import type { ManagementKey } from "../../src/accounts/principals/management-key.js";
import type { Member } from "../../src/accounts/principals/member.js";
import type { RunRecord } from "../../src/inference/run/run-record.js";
import type {
  ResponseEnding,
  StoredItem,
  StoredResponse,
} from "../../src/inference/responses/stored-response.js";
import { defaultTeamSettings, type Team } from "../../src/accounts/principals/team.js";
import type { Database } from "../../src/store/database.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { openAgain, openNewDatabase } from "../kit/databases/new-database.js";

/** Creates a folder that is deleted after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hearth-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates an empty database that is deleted after the test. */
export async function temporaryDatabase(): Promise<Database> {
  const database = await openNewDatabase(join(temporaryFolder(), "hearth.db"));
  onTestFinished(() => database.close());
  return database;
}

/** Creates a database with two teams, `team-1` and `team-2`. */
export async function databaseOfTwoTeams(): Promise<Database> {
  const database = await temporaryDatabase();
  await createTeamStore(database).insert(aTeam());
  await createTeamStore(database).insert(aTeam({ id: "team-2" }));
  return database;
}

/** Opens two connections to a new database. */
export async function twoConnections(): Promise<readonly [Database, Database]> {
  const file = join(temporaryFolder(), "hearth.db");
  const [one, other] = [await openNewDatabase(file), await openAgain(file)];
  onTestFinished(async () => {
    await one.close();
    await other.close();
  });
  await createTeamStore(one).insert(aTeam());
  return [one, other];
}

export function aTeam(change: Partial<Team> = {}): Team {
  const { id = "team-1" } = change;
  return {
    id,
    name: id === "team-1" ? "default" : id,
    billing: "unmetered",
    ...defaultTeamSettings,
    createTime: 1000,
    ...change,
  };
}

export function aManagementKey(change: Partial<ManagementKey> = {}): ManagementKey {
  return {
    id: "manager-1",
    teamId: "team-1",
    userId: "user-1",
    name: "console",
    hash: new Uint8Array(32).fill(9),
    redacted: "hm-...abcd",
    acls: ["team-token:endpoint:*"],
    expireTime: null,
    ipRanges: null,
    lastUseTime: null,
    createTime: 1000,
    modifyTime: 1000,
    ...change,
  };
}

export function aMember(change: Partial<Member> = {}): Member {
  return {
    id: "member-1",
    teamId: "team-1",
    email: "ada@example.com",
    givenName: "Ada",
    familyName: "Lovelace",
    role: "owner",
    createTime: 1000,
    ...change,
  };
}

export function anAuditEvent(change: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: "event-1",
    time: 1000,
    actor: "manager-1",
    userId: "user-1",
    teamId: "team-1",
    action: "UpdateApiKey",
    objectId: "key-1",
    description: "Updated the API key 'laptop'",
    before: { name: "lap", tpm: null },
    after: { name: "laptop", tpm: 7, aclStrings: ["api-key:model:*"] },
    ...change,
  };
}

export function aRun(change: Partial<RunRecord> = {}): RunRecord {
  return {
    id: "run-1",
    requestId: "request-1",
    teamId: "team-1",
    apiKeyId: "key-1",
    model: "small",
    requestedModel: null,
    endpoint: "/v1/chat/completions",
    state: "running",
    usage: { promptTokens: 9, cachedTokens: 2, imageTokens: 1, completionTokens: 0, reasoningTokens: 0 },
    costTicks: 90,
    prices: null,
    reservedTicks: null,
    startTime: 5000,
    endTime: null,
    ...change,
  };
}

export function aJob(change: Partial<Job> = {}): Job {
  return {
    id: "job-1",
    kind: "deferred-completion",
    teamId: "team-1",
    apiKeyId: "key-1",
    endpoint: "/v1/chat/completions",
    body: '{"model":"small"}',
    attempts: 0,
    tags: [],
    createTime: 1000,
    ...change,
  };
}

export function aResponse(change: Partial<StoredResponse> = {}): StoredResponse {
  return {
    id: "resp-1",
    teamId: "team-1",
    userId: null,
    previousId: null,
    conversationId: null,
    status: "queued",
    background: true,
    streamed: true,
    body: '{"status":"queued"}',
    createTime: 1000,
    expireTime: 90_000,
    ...change,
  };
}

/** Returns items with these ids; each body contains its id. */
export function someItems(...ids: readonly string[]): readonly StoredItem[] {
  return ids.map((id) => ({ id, body: `{"id":"${id}"}` }));
}

export function anEnding(change: Partial<ResponseEnding> = {}): ResponseEnding {
  return { status: "completed", body: '{"status":"completed"}', output: [], events: null, ...change };
}
