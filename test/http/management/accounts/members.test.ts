import { describe, expect, it } from "vitest";
import { type ManagedServer, fileServer } from "../../../kit/server.js";
import type { Answer } from "../../../kit/server/management.js";

const shared = fileServer({ accounts: "managed" });

interface ToldMember {
  readonly memberId: string;
  readonly email: string;
  readonly role: string;
  readonly [field: string]: unknown;
}

interface Page {
  readonly members: readonly ToldMember[];
  readonly paginationToken?: string;
}

const refused = (status: number, message: string): Answer => ({
  status,
  body: {
    code: expect.any(Number) as number,
    message: expect.stringContaining(message) as string,
    details: [],
  },
});

async function page(server: ManagedServer, teamId: string, query = ""): Promise<Page> {
  return (await server.request("GET", `/auth/teams/${teamId}/members${query}`)).body as Page;
}

/** Creates a team with a member of this role, and a management key of the member. */
async function memberOf(server: ManagedServer, role: string) {
  const teamId = await server.createTeam();
  const email = `${role}-${crypto.randomUUID()}@example.com`;
  const memberId = await server.createMember(teamId, { role, email, givenName: "Ada" });
  return { teamId, memberId, email, secret: await server.createManagementKey({ teamId, memberId }) };
}

describe("members", () => {
  it("are added, changed field by field, listed in pages, and deleted", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const { status, body } = await server.request("POST", `/auth/teams/${teamId}/members`, {
      email: "ada@example.com",
      given_name: "Ada",
      familyName: "Lovelace",
    });
    const ada = body as ToldMember;
    expect([status, ada]).toEqual([
      200,
      {
        memberId: expect.any(String) as string,
        teamId,
        email: "ada@example.com",
        givenName: "Ada",
        familyName: "Lovelace",
        role: "member",
        createTime: "2026-11-21T12:00:00.000000Z",
      },
    ]);
    const path = `/auth/members/${ada.memberId}`;
    const change = { member: { role: "admin", givenName: "A." }, fieldMask: "given_name,family_name" };
    const changed = { ...ada, givenName: "A.", familyName: "" };
    expect(await server.request("PUT", path, change)).toEqual({ status: 200, body: changed });
    const role = { member: { role: "admin" } };
    expect(await server.request("PUT", path, role)).toEqual({
      status: 200,
      body: { ...changed, role: "admin" },
    });
    for (const name of ["b", "c"]) await server.createMember(teamId, { email: `${name}@example.com` });
    const first = await page(server, teamId, "?pageSize=2");
    const rest = await page(server, teamId, `?pageSize=2&paginationToken=${first.paginationToken}`);
    expect([...first.members, ...rest.members].map(({ email }) => email[0])).toEqual(["a", "b", "c"]);
    expect(rest.paginationToken).toBeUndefined();
    expect(await server.request("DELETE", path)).toEqual({ status: 200, body: {} });
    expect((await page(server, teamId)).members.map(({ email }) => email[0])).toEqual(["b", "c"]);
    expect(await server.request("DELETE", path)).toEqual(refused(404, "Cannot find member"));
    expect(await server.request("PUT", path, role)).toEqual(refused(404, "Cannot find member"));
  });

  it("have a unique email address, regardless of case; that of a deleted member can be used again", async () => {
    const server = shared();
    const [teamId, other] = [await server.createTeam(), await server.createTeam()];
    const memberId = await server.createMember(teamId, { email: "Eve@Example.com" });
    const again = { email: "eVE@eXAMPLE.com" };
    const taken = refused(409, "Another member has this e-mail address.");
    expect(await server.request("POST", `/auth/teams/${other}/members`, again)).toEqual(taken);
    const grace = await server.createMember(other, { email: "grace@example.com" });
    expect(await server.request("PUT", `/auth/members/${grace}`, { member: again })).toEqual(taken);
    const own = await server.request("PUT", `/auth/members/${memberId}`, { member: again });
    expect(own).toMatchObject({ status: 200, body: again });
    await server.request("DELETE", `/auth/members/${memberId}`);
    expect((await server.request("POST", `/auth/teams/${other}/members`, again)).status).toBe(200);
  });

  it.each([
    [{ email: "nobody" }, "email must be an e-mail address"],
    [{ email: "a@b@c" }, "email must be an e-mail address"],
    [{ email: "a b@example.com" }, "email must be an e-mail address"],
    [{ email: "a\u0007@example.com" }, "email must be an e-mail address"],
    [{ email: `${"a".repeat(243)}@example.com` }, "email must have at most 254 characters"],
    [{ email: "a@b", givenName: "a".repeat(101) }, "givenName must have at most 100 characters"],
    [{ email: "a@b", familyName: "\u001b[2J" }, "familyName must not have control characters"],
    [{ email: "a@b", role: "king" }, "role: must be one of owner, admin, member"],
  ])("are rejected as %j", async (member, message) => {
    const server = shared();
    const teamId = await server.createTeam();
    expect(await server.request("POST", `/auth/teams/${teamId}/members`, member)).toEqual(
      refused(400, message),
    );
    expect((await page(server, teamId)).members).toEqual([]);
  });
});

describe("a member's management key", () => {
  it.each([
    ["member", 404, 403],
    ["admin", 200, 403],
    ["owner", 200, 200],
  ])(
    "of a %s can read and create keys, gets status %i for changing another's key and %i for creating members",
    async (role, keys, members) => {
      const server = shared();
      const { teamId, memberId, secret } = await memberOf(server, role);
      const send = async (method: string, path: string, body?: object) =>
        (await server.request(method, path, body, secret)).status;
      const team = `/auth/teams/${teamId}`;
      const reads = [
        `${team}/api-keys`,
        `${team}/members`,
        `${team}/models`,
        `${team}/endpoints`,
        "/auth/teams",
      ];
      reads.push(`/audit/teams/${teamId}/events`, "/auth/management-keys/validation");
      for (const path of reads) expect([path, await send("GET", path)]).toEqual([path, 200]);
      const { apiKeyId } = await server.createKey(teamId);
      expect(await send("POST", `${team}/api-keys`, { name: "x" })).toBe(200);
      expect(await send("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey: { name: "y" } })).toBe(keys);
      expect(await send("POST", `/auth/api-keys/${apiKeyId}/rotate`, {})).toBe(keys);
      expect(await send("DELETE", `/auth/api-keys/${apiKeyId}`)).toBe(keys);
      expect(await send("PUT", team, { team: { name: "z" } })).toBe(members);
      expect(await send("POST", `${team}/members`, { email: "new@example.com" })).toBe(members);
      const own = { member: { familyName: "x" } };
      expect(await send("PUT", `/auth/members/${memberId}`, own)).toBe(members);
    },
  );

  it("obeys the current role of its member in addition to its own ACLs", async () => {
    const server = shared();
    const { teamId, memberId, secret } = await memberOf(server, "admin");
    const rename = () =>
      server.request("PUT", `/auth/teams/${teamId}`, { team: { name: "renamed" } }, secret);
    expect(await rename()).toEqual(refused(403, "role 'admin': this endpoint needs 'owner'."));
    await server.request("PUT", `/auth/members/${memberId}`, { member: { role: "owner" } });
    expect((await rename()).status).toBe(200);
    const acls = ["team-token:endpoint:ListApiKeys"];
    const narrow = await server.createManagementKey({ teamId, memberId, acls });
    const made = await server.request("POST", `/auth/teams/${teamId}/api-keys`, { name: "x" }, narrow);
    expect(made).toEqual(refused(403, "needs the ACL team-token:endpoint:CreateApiKey."));
  });

  it("is rejected with 401 like an unknown key once its member is deleted", async () => {
    const server = shared();
    const { teamId, memberId, secret } = await memberOf(server, "admin");
    const list = (key: string) => server.request("GET", `/auth/teams/${teamId}/api-keys`, undefined, key);
    expect((await list(secret)).status).toBe(200);
    expect((await server.request("DELETE", `/auth/members/${memberId}`)).status).toBe(200);
    expect(await list(secret)).toEqual(refused(401, "Incorrect management key provided: hm***"));
    const left = (await server.stores.managementKeys.list()).filter(({ userId }) => userId === memberId);
    expect(left).toEqual([]);
  });

  it("is rejected when it was created while its member was being deleted", async () => {
    const server = shared();
    const { teamId, memberId, secret } = await memberOf(server, "admin");
    const member = await server.stores.members.find(memberId);
    if (member === null) throw new Error("the member is not there");
    // Deletes only the member and not the key.
    await server.stores.writes.commit([server.stores.members.removal(member, 1)]);
    const answer = await server.request("GET", `/auth/teams/${teamId}/api-keys`, undefined, secret);
    expect(answer.status).toBe(401);
  });

  it("is only for the member's own team, and returns its owner", async () => {
    const server = shared();
    const { teamId, memberId, secret } = await memberOf(server, "owner");
    for (const member of [{ teamId: null }, { teamId: await server.createTeam() }])
      await expect(server.createManagementKey({ ...member, memberId })).rejects.toMatchObject({
        param: "teamId",
      });
    await expect(server.createManagementKey({ teamId, memberId: "nobody" })).rejects.toMatchObject({
      kind: "not_found",
    });
    const { body } = await server.request("GET", "/auth/management-keys/validation", undefined, secret);
    expect(body).toMatchObject({ ownerUserId: memberId, scopeId: teamId });
  });

  it("E13: gets the same error for members of another team and of the whole server", async () => {
    const server = shared();
    const { secret } = await memberOf(server, "owner");
    const theirs = await server.createMember(await server.createTeam());
    const { stores, clock } = server;
    const whole = { id: "whole-1", teamId: null, email: "root@example.com", role: "owner" } as const;
    const member = { ...whole, givenName: "", familyName: "", createTime: clock.now() };
    await stores.writes.commit([stores.members.insertion(member)]);
    const answers = [];
    for (const id of [theirs, whole.id, "nobody"])
      for (const [method, body] of [["PUT", { member: { role: "owner" } }], ["DELETE"]] as const)
        answers.push(await server.request(method, `/auth/members/${id}`, body, secret));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toEqual(refused(404, "Cannot find member"));
    expect(await stores.members.find(whole.id)).toEqual(member);
  });
});

describe("the last owner", () => {
  it("of a team cannot be deleted by anyone until there is another one", async () => {
    const server = shared();
    const { teamId, memberId, secret } = await memberOf(server, "owner");
    await server.createMember(await server.createTeam(), { role: "owner" });
    const path = `/auth/members/${memberId}`;
    const lesser = { member: { role: "admin" } };
    for (const key of [undefined, secret]) {
      const last = refused(409, "This is the last owner of the team: make another member an owner first.");
      expect(await server.request("PUT", path, lesser, key)).toEqual(last);
      expect(await server.request("DELETE", path, undefined, key)).toEqual(last);
    }
    const named = await server.request("PUT", path, { member: { givenName: "A." } });
    expect(named).toMatchObject({ status: 200, body: { role: "owner" } });
    await server.createMember(teamId, { role: "owner" });
    expect((await server.request("PUT", path, lesser)).status).toBe(200);
    expect((await server.request("DELETE", path)).status).toBe(200);
  });

  it("stays when the only two owners are deleted at the same time", async () => {
    const server = shared();
    const { teamId, memberId } = await memberOf(server, "owner");
    const other = await server.createMember(teamId, { role: "owner" });
    const answers = await Promise.all(
      [memberId, other].map((id) => server.request("DELETE", `/auth/members/${id}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await page(server, teamId)).members).toMatchObject([{ role: "owner" }]);
  });
});

interface Told {
  readonly act: string;
  readonly user: object;
  readonly actor: string;
  readonly before?: object;
  readonly after?: object;
}

it("the audit log contains the actions on members and by members, with their names, also of deleted members", async () => {
  const server = shared();
  const { teamId, memberId, email, secret } = await memberOf(server, "owner");
  await server.createMember(teamId, { role: "owner" });
  await server.request("POST", `/auth/teams/${teamId}/api-keys`, { name: "x" }, secret);
  await server.request("PUT", `/auth/members/${memberId}`, { member: { familyName: "L." } }, secret);
  await server.request("DELETE", `/auth/members/${memberId}`);
  const path = `/audit/teams/${teamId}/events?orderBy=TIME_ASCENDING`;
  const events = async (query = "") =>
    ((await server.request("GET", path + query)).body as { events: readonly Told[] }).events;
  const operator = { userId: "00000000-0000-0000-0000-000000000000" };
  const ada = { userId: memberId, email, givenName: "Ada", familyName: "L." };
  const all = await events();
  expect(all.map(({ act, user }) => [act, user])).toEqual([
    ["CreateTeam", operator],
    ["CreateMember", operator],
    ["CreateManagementKey", operator],
    ["CreateMember", operator],
    ["CreateApiKey", ada],
    ["UpdateMember", ada],
    ["DeleteMember", operator],
    ["DeleteManagementKey", operator],
  ]);
  const fields = { email, givenName: "Ada", familyName: "", role: "owner", teamId };
  expect([all[5]?.before, all[5]?.after]).toEqual([fields, { ...fields, familyName: "L." }]);
  expect([all[6]?.before, all[6]?.after]).toEqual([{ ...fields, familyName: "L." }, undefined]);
  expect(await events(`&eventFilter.userId=${memberId}`)).toEqual(all.slice(4, 6));
});
