import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayMs, everything, managed, now, opens, rfc3339, type ToldKey } from "./managed.js";

describe("POST /auth/teams/{teamId}/api-keys", () => {
  it("answers with the key as the hosted service tells it, and with its secret", async () => {
    const server = await managed();
    const teamId = await server.team();
    const wish = { name: "laptop", acls: everything, qps: 5, qpm: 100, tpm: "100000" };
    const { body } = await server.ask("POST", `/auth/teams/${teamId}/api-keys`, wish);
    const { apiKey, apiKeyId } = body as ToldKey;
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
      aclStrings: everything,
    });
    expect(await opens(server, apiKey)).toBe(200);
  });

  it("takes snake_case, numbers as texts, other time zones and null, and ignores what it does not know", async () => {
    const server = await managed();
    const told = await server.key(await server.team(), {
      acl_strings: everything,
      tpm: 7,
      qps: "3",
      qpm: null,
      expire_time: "2026-11-22T01:00:00+02:00",
      color: "red",
    });
    expect(told).toMatchObject({ aclStrings: everything, tpm: "7", qps: 3 });
    expect(told["expireTime"]).toBe("2026-11-21T23:00:00.000000Z");
    expect("qpm" in told).toBe(false);
  });

  it("makes a key that opens nothing where no ACL is given", async () => {
    const server = await managed();
    const told = await server.key(await server.team());
    expect(told["aclStrings"]).toEqual([]);
    expect(await opens(server, told.apiKey)).toBe(403);
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
    [{ expireTime: "2026-11-21" }, /^expireTime: must be a time/],
    [{ expireTime: "2026-02-30T00:00:00Z" }, /^expireTime: must be a time/],
    [{ expireTime: "2026-11-21T12:00:00Z" }, /^expireTime must be in the future/],
  ])("refuses %j with 400, naming the field, and makes nothing", async (wish, message) => {
    const server = await managed();
    const teamId = await server.team();
    expect(await server.ask("POST", `/auth/teams/${teamId}/api-keys`, { name: "x", ...wish })).toEqual({
      status: 400,
      body: { code: 3, message: expect.stringMatching(message) as string, details: [] },
    });
    expect(await server.stores.keys.list(teamId)).toEqual([]);
  });
});

describe("PUT /auth/api-keys/{apiKeyId}", () => {
  it("changes what the very next request may do: disabled, ACLs, expiry, team blocked, deleted", async () => {
    const server = await managed();
    const teamId = await server.team();
    const { apiKey, apiKeyId } = await server.key(teamId, { acls: everything });
    const path = `/auth/api-keys/${apiKeyId}`;
    const change = (fields: object, fieldMask?: string) =>
      server.ask("PUT", path, { apiKey: fields, ...(fieldMask === undefined ? {} : { fieldMask }) });
    const block = (blocked: boolean) => server.ask("PUT", `/auth/teams/${teamId}`, { team: { blocked } });
    const steps: readonly (readonly [() => Promise<unknown>, number])[] = [
      [() => change({ disabled: "true" }), 403],
      [() => change({}, "disabled"), 200],
      [() => change({ acl_strings: ["api-key:endpoint:chat"] }), 403],
      [() => change({ acls: everything }, "acls"), 200],
      [() => change({ expireTime: rfc3339(now + 1000) }), 200],
      [() => Promise.resolve(server.clock.advance(1000)), 403],
      [() => change({}, "expire_time"), 200],
      [() => block(true), 403],
      [() => block(false), 200],
      [() => server.ask("DELETE", path), 401],
    ];
    for (const [step, status] of steps) {
      await step();
      expect(await opens(server, apiKey)).toBe(status);
    }
  });

  it("takes back what it told, changed in one field", async () => {
    const server = await managed();
    const wish = { acls: everything, tpm: "9", expireTime: rfc3339(now + dayMs) };
    const { apiKey, ...told } = await server.key(await server.team(), wish);
    server.clock.advance(1);
    const { body } = await server.ask("PUT", `/auth/api-keys/${told.apiKeyId}`, {
      apiKey: { ...told, name: "desk" },
    });
    expect(body).toEqual({ ...told, name: "desk", modifyTime: "2026-11-21T12:00:00.001000Z" });
    expect(apiKey).toBeDefined();
  });

  it.each([
    ["unknown", { tpm: 1 }, "tpm,color"],
    ["immutable", { teamId: "other" }, "teamId"],
    ["cleared, but needed", {}, "name"],
    ["nothing", {}, undefined],
  ])("refuses a mask whose field is %s with 400, and changes nothing", async (_, apiKey, fieldMask) => {
    const server = await managed();
    const { apiKeyId } = await server.key(await server.team(), { tpm: 5 });
    const before = await server.stores.keys.find(apiKeyId);
    const answer = await server.ask("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey, fieldMask });
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } });
    expect(await server.stores.keys.find(apiKeyId)).toEqual(before);
  });

  it("changes exactly the fields of the mask: to what is set, cleared where it is not", async () => {
    const server = await managed();
    const { apiKeyId } = await server.key(await server.team(), { acls: everything });
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
        const { body } = await server.ask("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey, fieldMask });
        const told = body as Record<string, unknown>;
        for (const name of Object.keys(names) as (keyof typeof names)[]) {
          const cleared = name === "disabled" ? false : undefined;
          const expected = mask.includes(name) ? wire(name, apiKey[name] ?? cleared) : before[name];
          expect([name, told[name]]).toEqual([name, expected]);
        }
        expect([told["name"], told["aclStrings"]]).toEqual(["laptop", everything]);
        before = told;
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

  it("tells pages that joined are the whole list, whatever is made meanwhile", async () => {
    const server = await managed();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
        async (count, pageSize, inserts) => {
          const teamId = await server.team();
          const path = `/auth/teams/${teamId}/api-keys`;
          for (let made = 0; made < count; made += 1) await server.key(teamId);
          const whole = (await server.ask("GET", path)).body as Page;
          expect([whole.apiKeys.length, whole.paginationToken]).toEqual([count, undefined]);
          const seen: string[] = [];
          let token: string | undefined = "";
          for (let page = 0; token !== undefined; page += 1) {
            const query = `?pageSize=${pageSize}&paginationToken=${token}`;
            const told = (await server.ask("GET", path + query)).body as Page;
            expect(told.apiKeys.length).toBeLessThanOrEqual(pageSize);
            seen.push(...idsOf(told));
            token = told.paginationToken;
            if (inserts[page] === true) await server.key(teamId);
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.slice(0, count)).toEqual(idsOf(whole));
        },
      ),
      { numRuns: 12 },
    );
  });

  it("filters by ACLs and by expiry, and tells nothing of other teams or of secrets", async () => {
    const server = await managed();
    const [teamId, other] = [await server.team(), await server.team()];
    await server.key(other, { acls: everything });
    const all = await server.key(teamId, { acls: everything });
    const brief = await server.key(teamId, { acls: ["api-key:model:*"], expireTime: rfc3339(now + 1000) });
    server.clock.advance(1000);
    const list = async (query: string) =>
      (await server.ask("GET", `/auth/teams/${teamId}/api-keys${query}`)).body as Page;
    const [endpoint, model] = everything;
    expect(idsOf(await list(`?aclFilters=${model}`))).toEqual([all.apiKeyId, brief.apiKeyId]);
    expect(idsOf(await list(`?aclFilters=${model}&aclFilters=${endpoint}`))).toEqual([all.apiKeyId]);
    expect(idsOf(await list("?activeOnly=true"))).toEqual([all.apiKeyId]);
    expect(idsOf(await list("?active_only=false"))).toEqual([all.apiKeyId, brief.apiKeyId]);
    expect(JSON.stringify(await list(""))).not.toContain(all.apiKey);
  });
});
