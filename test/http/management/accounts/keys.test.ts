import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startServer, fileServer } from "../../../kit/server.js";
import {
  type CreatedKey,
  allAcls,
  dayMs,
  now,
  rfc3339,
  statusWithKey,
} from "../../../kit/server/management.js";

const shared = fileServer({ accounts: "managed" });

describe("POST /auth/teams/{teamId}/api-keys", () => {
  it("returns the key in the fields of the hosted service, with its secret", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const change = { name: "laptop", acls: allAcls, qps: 5, qpm: 100, tpm: "100000" };
    const { body } = await server.request("POST", `/auth/teams/${teamId}/api-keys`, change);
    const { apiKey, apiKeyId } = body as CreatedKey;
    expect(apiKey).toMatch(/^hk-[0-9A-Za-z]{54}$/);
    expect(apiKeyId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(body).toEqual({
      redactedApiKey: `hk-...${apiKey.slice(-4)}`,
      apiKey,
      userId: "00000000-0000-0000-0000-000000000000",
      name: "laptop",
      createTime: "2026-11-21T12:00:00.000000Z",
      modifyTime: "2026-11-21T12:00:00.000000Z",
      teamId,
      apiKeyId,
      disabled: false,
      qps: 5,
      qpm: 100,
      tpm: "100000",
      aclStrings: allAcls,
    });
    expect(await statusWithKey(server, apiKey)).toBe(200);
  });

  it("accepts snake_case, numbers as strings, other time zones and null, and ignores unknown fields", async () => {
    const server = shared();
    const received = await server.createKey(await server.createTeam(), {
      acl_strings: allAcls,
      tpm: 7,
      qps: "3",
      qpm: null,
      expire_time: "2026-11-22T01:00:00+02:00",
      color: "red",
    });
    expect(received).toMatchObject({ aclStrings: allAcls, tpm: "7", qps: 3 });
    expect(received["expireTime"]).toBe("2026-11-21T23:00:00.000000Z");
    expect("qpm" in received).toBe(false);
  });

  it("creates a key without permissions when no ACL is given", async () => {
    const server = shared();
    const received = await server.createKey(await server.createTeam());
    expect(received["aclStrings"]).toEqual([]);
    expect(await statusWithKey(server, received.apiKey)).toBe(403);
  });

  it.each([
    [{ name: "" }, /^name must have 1 to 100/],
    [{ name: null }, /^name: must be a string/],
    [{ acls: "api-key:model:*" }, /^acls: must be an array/],
    [{ acls: ["team-token:endpoint:*"] }, /^acls\.0 must be api-key:/],
    [{ qps: 0 }, /^qps must be a whole number from 1 to 2147483647/],
    [{ qpm: 1.5 }, /^qpm: must be a whole number/],
    [{ qpm: 2 ** 31 }, /^qpm must be a whole number from 1 to 2147483647/],
    [{ tpm: "9007199254740993" }, /^tpm: must be a whole number/],
    [{ tpm: "-1" }, /^tpm: must be a whole number/],
    [{ tpm: true }, /^tpm: must be a number or a string/],
    [{ expireTime: "2026-11-21" }, /^expireTime: must be an RFC 3339 time/],
    [{ expireTime: "2026-02-30T00:00:00Z" }, /^expireTime: must be an RFC 3339 time/],
    [{ expireTime: "2026-11-21T12:00:00Z" }, /^expireTime must be in the future/],
  ])("rejects %j with 400 and the name of the field, and creates nothing", async (change, message) => {
    const server = shared();
    const teamId = await server.createTeam();
    expect(await server.request("POST", `/auth/teams/${teamId}/api-keys`, { name: "x", ...change })).toEqual({
      status: 400,
      body: { code: 3, message: expect.stringMatching(message) as string, details: [] },
    });
    expect(await server.stores.keys.list(teamId)).toEqual([]);
  });

  it("names the first of several wrong fields, in the order in which they are documented", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const wrong = {
      name: "",
      acls: ["team-token:endpoint:*"],
      qps: 0,
      qpm: "many",
      tpm: -1,
      expireTime: "2026-11-21T11:00:00Z",
      ipRanges: ["nowhere"],
    };
    const fields = Object.keys(wrong);
    for (const [index, field] of fields.entries()) {
      const right = fields.slice(0, index).map((name) => [name, name === "name" ? "x" : null]);
      const sent = { ...wrong, ...(Object.fromEntries(right) as object) };
      const { status, body } = await server.request("POST", `/auth/teams/${teamId}/api-keys`, sent);
      expect([status, (body as { message: string }).message.split(/[ :.]/)[0]]).toEqual([400, field]);
    }
  });
});

describe("PUT /auth/api-keys/{apiKeyId}", () => {
  it("takes effect with the next request: disabled, ACLs, expiry, team blocked, deleted", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const teamId = await server.createTeam();
    const { apiKey, apiKeyId } = await server.createKey(teamId, { acls: allAcls });
    const path = `/auth/api-keys/${apiKeyId}`;
    const change = (fields: object, fieldMask?: string) =>
      server.request("PUT", path, { apiKey: fields, fieldMask });
    const block = (blocked: boolean) => server.request("PUT", `/auth/teams/${teamId}`, { team: { blocked } });
    const steps: readonly (readonly [() => Promise<unknown>, number])[] = [
      [() => change({ disabled: "true" }), 403],
      [() => change({}, "disabled"), 200],
      [() => change({ acl_strings: ["api-key:endpoint:chat"] }), 403],
      [() => change({ acls: allAcls }, "acls"), 200],
      [() => change({ expireTime: rfc3339(now + 1000) }), 200],
      [() => Promise.resolve(server.clock.advance(1000)), 403],
      [() => change({}, "expire_time"), 200],
      [() => block(true), 403],
      [() => block(false), 200],
      [() => server.request("DELETE", path), 401],
    ];
    for (const [step, status] of steps) {
      await step();
      expect(await statusWithKey(server, apiKey)).toBe(status);
    }
  });

  it("accepts its own answer with one changed field", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const change = { acls: allAcls, tpm: "9", expireTime: rfc3339(now + dayMs) };
    const { apiKey, ...received } = await server.createKey(await server.createTeam(), change);
    server.clock.advance(1);
    const { body } = await server.request("PUT", `/auth/api-keys/${received.apiKeyId}`, {
      apiKey: { ...received, name: "desk" },
    });
    expect(body).toEqual({ ...received, name: "desk", modifyTime: "2026-11-21T12:00:00.001000Z" });
    expect(apiKey).toBeDefined();
  });

  it.each([
    ["unknown", { tpm: 1 }, "tpm,color"],
    ["immutable", { teamId: "other" }, "teamId"],
    ["cleared, but needed", {}, "name"],
    ["nothing", {}, undefined],
  ])("rejects a mask whose field is %s with 400, and changes nothing", async (_, apiKey, fieldMask) => {
    const server = shared();
    const { apiKeyId } = await server.createKey(await server.createTeam(), { tpm: 5 });
    const before = await server.stores.keys.find(apiKeyId);
    const answer = await server.request("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey, fieldMask });
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } });
    expect(await server.stores.keys.find(apiKeyId)).toEqual(before);
  });

  it("changes exactly the fields of the mask, and clears those that are not set", async () => {
    const server = shared();
    const { apiKeyId } = await server.createKey(await server.createTeam(), { acls: allAcls });
    const names = { qps: "qps", qpm: "qpm", tpm: "tpm", disabled: "disabled", expireTime: "expire_time" };
    const fields = {
      qps: fc.option(fc.integer({ min: 1, max: 9 }), { nil: null }),
      qpm: fc.option(fc.integer({ min: 1, max: 9 }), { nil: null }),
      tpm: fc.option(fc.integer({ min: 1, max: 9 }).map(String), { nil: null }),
      disabled: fc.option(fc.boolean(), { nil: null }),
      expireTime: fc.option(
        fc.integer({ min: 1, max: 9 }).map((days) => rfc3339(now + days * dayMs)),
        { nil: null },
      ),
    };
    const masks = fc.subarray(Object.keys(names) as (keyof typeof names)[], { minLength: 1 });
    const sent = fc.record(fields, { requiredKeys: [] });
    const wire = (name: string, value: unknown): unknown =>
      name === "expireTime" && typeof value === "string" ? value.replace("Z", "000Z") : value;
    let before: Record<string, unknown> = { disabled: false };
    await fc.assert(
      fc.asyncProperty(masks, sent, fc.boolean(), async (mask, apiKey, snake) => {
        const fieldMask = mask.map((name) => (snake ? names[name] : name)).join(snake ? "," : ", ");
        const { body } = await server.request("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey, fieldMask });
        const received = body as Record<string, unknown>;
        for (const name of Object.keys(names) as (keyof typeof names)[]) {
          const cleared = name === "disabled" ? false : undefined;
          const expected = mask.includes(name) ? wire(name, apiKey[name] ?? cleared) : before[name];
          expect([name, received[name]]).toEqual([name, expected]);
        }
        expect([received["name"], received["aclStrings"]]).toEqual(["laptop", allAcls]);
        before = received;
      }),
      { numRuns: 60 },
    );
  });
});

describe("GET /auth/teams/{teamId}/api-keys", () => {
  interface Page {
    readonly apiKeys: readonly { readonly apiKeyId: string }[];
    readonly paginationToken?: string;
  }
  const idsOf = ({ apiKeys }: Page) => apiKeys.map(({ apiKeyId }) => apiKeyId);

  it("returns pages that join to the whole list, also when keys are created in between", async () => {
    const server = shared();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
        async (count, pageSize, inserts) => {
          const teamId = await server.createTeam();
          const path = `/auth/teams/${teamId}/api-keys`;
          for (let made = 0; made < count; made += 1) await server.createKey(teamId);
          const whole = (await server.request("GET", path)).body as Page;
          expect([whole.apiKeys.length, whole.paginationToken]).toEqual([count, undefined]);
          const seen: string[] = [];
          let token: string | undefined = "";
          for (let page = 0; token !== undefined; page += 1) {
            const query = `?pageSize=${pageSize}&paginationToken=${token}`;
            const received = (await server.request("GET", path + query)).body as Page;
            expect(received.apiKeys.length).toBeLessThanOrEqual(pageSize);
            seen.push(...idsOf(received));
            token = received.paginationToken;
            if (inserts[page] === true) await server.createKey(teamId);
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.slice(0, count)).toEqual(idsOf(whole));
        },
      ),
      { numRuns: 12 },
    );
  });

  it("filters by ACLs and by expiry, and reveals nothing of other teams or of secrets", async () => {
    // The test moves the clock.
    const server = await startServer({ accounts: "managed" });
    const [teamId, other] = [await server.createTeam(), await server.createTeam()];
    await server.createKey(other, { acls: allAcls });
    const all = await server.createKey(teamId, { acls: allAcls });
    const brief = await server.createKey(teamId, {
      acls: ["api-key:model:*"],
      expireTime: rfc3339(now + 1000),
    });
    server.clock.advance(1000);
    const list = async (query: string) =>
      (await server.request("GET", `/auth/teams/${teamId}/api-keys${query}`)).body as Page;
    const [endpoint, model] = allAcls;
    expect(idsOf(await list(`?aclFilters=${model}`))).toEqual([all.apiKeyId, brief.apiKeyId]);
    expect(idsOf(await list(`?aclFilters=${model}&aclFilters=${endpoint}`))).toEqual([all.apiKeyId]);
    expect(idsOf(await list("?activeOnly=true"))).toEqual([all.apiKeyId]);
    expect(idsOf(await list("?active_only=false"))).toEqual([all.apiKeyId, brief.apiKeyId]);
    expect(JSON.stringify(await list(""))).not.toContain(all.apiKey);
  });
});
