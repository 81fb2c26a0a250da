import { createHash } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { createKeyService } from "../../../../src/accounts/keys/keys.js";
import { cliActor } from "../../../../src/accounts/audit/actors.js";
import { systemRandom } from "../../../../src/system/clock.js";
import { anAuditEvent, databaseOfTwoTeams } from "../../../store/records.js";
import { createAuditStore } from "../../../../src/accounts/audit/store.js";
import { createWrites } from "../../../../src/store/writes.js";
import { type ManagedServer, startServer, fileServer } from "../../../kit/server.js";
import { type CreatedKey, now } from "../../../kit/server/management.js";

const shared = fileServer({ accounts: "managed" });

interface Told {
  readonly eventId: string;
  readonly act: string;
  readonly actor: string;
  readonly objectId: string;
  readonly description: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

interface Page {
  readonly events: readonly Told[];
  readonly nextPageToken?: string;
}

async function events(server: ManagedServer, teamId: string, query = ""): Promise<Page> {
  return (await server.request("GET", `/audit/teams/${teamId}/events${query}`)).body as Page;
}

describe("the audit log", () => {
  it("has exactly one event for every action, with the object before and after, and none for rejected requests", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const teamId = await server.createTeam("research");
    const own = await server.createManagementKey({ teamId });
    const { apiKeyId } = await server.createKey(teamId, { tpm: 5 });
    const path = `/auth/api-keys/${apiKeyId}`;
    server.clock.advance(1000);
    await server.request("PUT", path, { apiKey: { tpm: "7" } }, own);
    await server.request("PUT", path, { apiKey: { tpm: "0" } }, own);
    await server.request("PUT", path, { apiKey: { tpm: "8" } }, server.apiKey);
    await server.request("POST", `${path}/rotate`, {}, own);
    await server.request("PUT", `/auth/teams/${teamId}`, { team: { blocked: true } });
    await server.request("PUT", `/auth/teams/${teamId}`, { team: { blocked: false, name: "lab" } });
    await server.request("DELETE", path, undefined, own);
    await server.request("DELETE", path, undefined, own);
    const received = (await events(server, teamId, "?orderBy=TIME_ASCENDING")).events;
    expect(received.map(({ act, objectId, description }) => [act, objectId, description])).toEqual([
      ["CreateTeam", teamId, "Created the team 'research'"],
      ["CreateManagementKey", expect.any(String), "Created the management key 'console'"],
      ["CreateApiKey", apiKeyId, "Created the API key 'laptop'"],
      ["UpdateApiKey", apiKeyId, "Updated the API key 'laptop'"],
      ["RotateApiKey", apiKeyId, "Rotated the API key 'laptop'"],
      ["UpdateTeam", teamId, "Blocked the team 'research'"],
      ["UpdateTeam", teamId, "Unblocked the team 'research'"],
      ["DeleteApiKey", apiKeyId, "Deleted the API key 'laptop'"],
    ]);
    const [, made, created, updated, rotated, , unblocked, deleted] = received;
    expect([created?.before, created?.after?.["tpm"]]).toEqual([undefined, 5]);
    expect([updated?.before?.["tpm"], updated?.after?.["tpm"]]).toEqual([5, 7]);
    expect(rotated?.before?.["redactedApiKey"]).not.toBe(rotated?.after?.["redactedApiKey"]);
    expect([unblocked?.before, unblocked?.after]).toEqual([
      { name: "research", billing: "prepaid", blocked: true, weight: 1, aclStrings: null, keepBodies: false },
      { name: "lab", billing: "prepaid", blocked: false, weight: 1, aclStrings: null, keepBodies: false },
    ]);
    expect([deleted?.before, deleted?.after]).toEqual([rotated?.after, undefined]);
    expect(updated?.actor).toBe(made?.objectId);
    expect([made?.actor, deleted?.actor]).toEqual(["cli", updated?.actor]);
  });

  it("E10: contains no secret and no hash, except the last four characters of a secret", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const manager = await server.createManagementKey({ teamId });
    const { apiKey, apiKeyId } = await server.createKey(teamId);
    const { body } = await server.request("POST", `/auth/api-keys/${apiKeyId}/rotate`, {});
    const rotated = body as CreatedKey;
    const query = { teamId: null, order: "ascending", after: null, from: null, to: null, limit: 99 } as const;
    const all = JSON.stringify(await server.stores.audit.page(query));
    expect(all).toContain(apiKey.slice(-4));
    for (const secret of [apiKey, rotated.apiKey, manager]) {
      expect(all).not.toContain(secret.slice(3, -4));
      const hash = createHash("sha256").update(secret).digest();
      for (const coding of ["hex", "base64"] as const) expect(all).not.toContain(hash.toString(coding));
      expect(all).not.toContain(JSON.stringify([...hash]).slice(1, -1));
    }
  });

  it("is listed in pages, in either order, and filtered by time, actor, text and id", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const teamId = await server.createTeam();
    for (const name of ["one", "two", "three"]) {
      server.clock.advance(1000);
      await server.createKey(teamId, { name });
    }
    const all = (await events(server, teamId)).events;
    expect(all.map(({ description }) => description.split("'")[1])).toEqual([
      "three",
      "two",
      "one",
      "research",
    ]);
    for (const order of ["TIME_ASCENDING", "TIME_DESCENDING"]) {
      const seen: Told[] = [];
      let token: string | undefined = "";
      while (token !== undefined) {
        const page = await events(server, teamId, `?orderBy=${order}&page_size=3&pageToken=${token}`);
        seen.push(...page.events);
        token = page.nextPageToken;
      }
      expect(seen).toEqual(order === "TIME_ASCENDING" ? all.toReversed() : all);
    }
    const time = (ms: number) => encodeURIComponent(new Date(now + ms).toISOString());
    const found = async (query: string) => (await events(server, teamId, query)).events;
    expect(await found(`?eventTimeFrom=${time(1000)}&eventTimeTo=${time(3000)}`)).toEqual(all.slice(1, 3));
    expect(await found("?eventFilter.query=KEY%20'TWO")).toEqual([all[1]]);
    expect(await found(`?event_filter.event_id=${all[2]?.eventId}`)).toEqual([all[2]]);
    expect(await found("?eventFilter.userId=nobody")).toEqual([]);
    expect(await found(`?eventFilter.userId=${all[0]?.actor}`)).toEqual(all);
  });

  it("cannot be changed, emptied or overwritten, not even in the database", async () => {
    const { kysely, ...database } = await databaseOfTwoTeams();
    const audit = createAuditStore({ kysely, ...database });
    await createWrites({ kysely, ...database }).commit([audit.insertion(anAuditEvent())]);
    const query = {
      teamId: "team-1",
      order: "ascending",
      after: null,
      from: null,
      to: null,
      limit: 9,
    } as const;
    const before = await audit.page(query);
    expect(before).toEqual([{ ...anAuditEvent(), entry: 1 }]);
    const columns =
      "select entry, id, time, 'nobody', user_id, team_id, act, object_id, description, null, null";
    for (const statement of [
      "update audit_events set actor = 'nobody'",
      "delete from audit_events",
      `insert or replace into audit_events ${columns} from audit_events`,
    ])
      await expect(sql.raw(statement).execute(kysely)).rejects.toThrow("the audit log is append-only");
    expect(await audit.page(query)).toEqual(before);
  });

  it("and the action are one transaction: if the event cannot be written, nothing changes", async () => {
    const server = shared();
    const { stores, clock } = server;
    const teamId = await server.createTeam();
    const broken = { ...stores.audit, insertion: () => stores.audit.insertion(anAuditEvent()) };
    await stores.writes.commit([stores.audit.insertion(anAuditEvent())]);
    const keys = createKeyService({ ...stores, audit: broken, clock, random: systemRandom });
    await expect(keys.create({ teamId, name: "x" }, cliActor)).rejects.toThrow("append-only");
    expect(await stores.keys.list(teamId)).toEqual([]);
  });
});
