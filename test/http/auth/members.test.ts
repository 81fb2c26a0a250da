import { describe, expect, it } from "vitest";
import { managed, type Answer, type Managed } from "./managed.js";

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

async function page(server: Managed, teamId: string, query = ""): Promise<Page> {
  return (await server.ask("GET", `/auth/teams/${teamId}/members${query}`)).body as Page;
}

/** A team with a member of that role, and the secret of a key of theirs. */
async function memberOf(server: Managed, role: string) {
  const teamId = await server.team();
  const memberId = await server.member(teamId, { role, email: `${role}@example.com`, givenName: "Ada" });
  return { teamId, memberId, secret: await server.manager({ teamId, memberId }) };
}

describe("members", () => {
  it("are added, changed field by field, told page by page, and removed", async () => {
    const server = await managed();
    const teamId = await server.team();
    const { status, body } = await server.ask("POST", `/auth/teams/${teamId}/members`, {
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
    expect(await server.ask("PUT", path, change)).toEqual({ status: 200, body: changed });
    const role = { member: { role: "admin" } };
    expect(await server.ask("PUT", path, role)).toEqual({ status: 200, body: { ...changed, role: "admin" } });
    for (const name of ["b", "c"]) await server.member(teamId, { email: `${name}@example.com` });
    const first = await page(server, teamId, "?pageSize=2");
    const rest = await page(server, teamId, `?pageSize=2&paginationToken=${first.paginationToken}`);
    expect([...first.members, ...rest.members].map(({ email }) => email[0])).toEqual(["a", "b", "c"]);
    expect(rest.paginationToken).toBeUndefined();
    expect(await server.ask("DELETE", path)).toEqual({ status: 200, body: {} });
    expect((await page(server, teamId)).members.map(({ email }) => email[0])).toEqual(["b", "c"]);
    expect(await server.ask("DELETE", path)).toEqual(refused(404, "Cannot find member"));
    expect(await server.ask("PUT", path, role)).toEqual(refused(404, "Cannot find member"));
  });

  it("have an e-mail of their own, whatever its case; that of a member who was removed is free again", async () => {
    const server = await managed();
    const [teamId, other] = [await server.team("one"), await server.team("other")];
    const memberId = await server.member(teamId, { email: "Ada@Example.com" });
    const again = { email: "aDA@eXAMPLE.com" };
    const taken = refused(409, "There is a member with this e-mail already.");
    expect(await server.ask("POST", `/auth/teams/${other}/members`, again)).toEqual(taken);
    const grace = await server.member(other, { email: "grace@example.com" });
    expect(await server.ask("PUT", `/auth/members/${grace}`, { member: again })).toEqual(taken);
    const own = await server.ask("PUT", `/auth/members/${memberId}`, { member: again });
    expect(own).toMatchObject({ status: 200, body: again });
    await server.ask("DELETE", `/auth/members/${memberId}`);
    expect((await server.ask("POST", `/auth/teams/${other}/members`, again)).status).toBe(200);
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
  ])("are refused as %j", async (wish, message) => {
    const server = await managed();
    const teamId = await server.team();
    expect(await server.ask("POST", `/auth/teams/${teamId}/members`, wish)).toEqual(refused(400, message));
    expect((await page(server, teamId)).members).toEqual([]);
  });
});

describe("a member's management key", () => {
  it.each([
    ["member", 403, 403],
    ["admin", 200, 403],
    ["owner", 200, 200],
  ])("of a %s reads, makes keys with %i and members with %i", async (role, keys, members) => {
    const server = await managed();
    const { teamId, memberId, secret } = await memberOf(server, role);
    const ask = async (method: string, path: string, body?: object) =>
      (await server.ask(method, path, body, secret)).status;
    const team = `/auth/teams/${teamId}`;
    const reads = [
      `${team}/api-keys`,
      `${team}/members`,
      `${team}/models`,
      `${team}/endpoints`,
      "/auth/teams",
    ];
    reads.push(`/audit/teams/${teamId}/events`, "/auth/management-keys/validation");
    for (const path of reads) expect([path, await ask("GET", path)]).toEqual([path, 200]);
    const { apiKeyId } = await server.key(teamId);
    expect(await ask("POST", `${team}/api-keys`, { name: "x" })).toBe(keys);
    expect(await ask("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey: { name: "y" } })).toBe(keys);
    expect(await ask("POST", `/auth/api-keys/${apiKeyId}/rotate`, {})).toBe(keys);
    expect(await ask("DELETE", `/auth/api-keys/${apiKeyId}`)).toBe(keys);
    expect(await ask("PUT", team, { team: { name: "z" } })).toBe(members);
    expect(await ask("POST", `${team}/members`, { email: "new@example.com" })).toBe(members);
    const own = { member: { familyName: "x" } };
    expect(await ask("PUT", `/auth/members/${memberId}`, own)).toBe(members);
  });

  it("follows its member's role from one request to the next, and its own ACLs besides", async () => {
    const server = await managed();
    const { teamId, memberId, secret } = await memberOf(server, "member");
    const make = () => server.ask("POST", `/auth/teams/${teamId}/api-keys`, { name: "x" }, secret);
    expect(await make()).toEqual(refused(403, "role is 'member': this endpoint needs 'admin'."));
    await server.ask("PUT", `/auth/members/${memberId}`, { member: { role: "admin" } });
    expect((await make()).status).toBe(200);
    const acls = ["team-token:endpoint:ListApiKeys"];
    const narrow = await server.manager({ teamId, memberId, acls });
    const made = await server.ask("POST", `/auth/teams/${teamId}/api-keys`, { name: "x" }, narrow);
    expect(made).toEqual(refused(403, "needs the ACL team-token:endpoint:CreateApiKey."));
  });

  it("opens nothing from the moment its member is removed: 401, as one that nobody knows", async () => {
    const server = await managed();
    const { teamId, memberId, secret } = await memberOf(server, "admin");
    const list = (key: string) => server.ask("GET", `/auth/teams/${teamId}/api-keys`, undefined, key);
    expect((await list(secret)).status).toBe(200);
    expect((await server.ask("DELETE", `/auth/members/${memberId}`)).status).toBe(200);
    expect(await list(secret)).toEqual(refused(401, "Incorrect management key provided: hm***"));
    const left = (await server.stores.managementKeys.list()).filter(({ userId }) => userId === memberId);
    expect(left).toEqual([]);
  });

  it("opens nothing either when it was made while its member was being removed", async () => {
    const server = await managed();
    const { teamId, memberId, secret } = await memberOf(server, "admin");
    const member = await server.stores.members.find(memberId);
    if (member === null) throw new Error("the member is not there");
    // The removal as it stands alone, without that of the key.
    await server.stores.writes.commit([server.stores.members.removal(member, 1)]);
    const answer = await server.ask("GET", `/auth/teams/${teamId}/api-keys`, undefined, secret);
    expect(answer.status).toBe(401);
  });

  it("is for the member's own team alone, and tells whose it is", async () => {
    const server = await managed();
    const { teamId, memberId, secret } = await memberOf(server, "owner");
    for (const wish of [{ teamId: null }, { teamId: await server.team("other") }])
      await expect(server.manager({ ...wish, memberId })).rejects.toMatchObject({ param: "teamId" });
    await expect(server.manager({ teamId, memberId: "nobody" })).rejects.toMatchObject({ kind: "not_found" });
    const { body } = await server.ask("GET", "/auth/management-keys/validation", undefined, secret);
    expect(body).toMatchObject({ ownerUserId: memberId, scopeId: teamId });
  });

  it("E13: sees no member of another team or of the whole server, in one and the same words", async () => {
    const server = await managed();
    const { secret } = await memberOf(server, "owner");
    const theirs = await server.member(await server.team("theirs"));
    const { stores, clock } = server;
    const whole = { id: "whole-1", teamId: null, email: "root@example.com", role: "owner" } as const;
    const member = { ...whole, givenName: "", familyName: "", createTime: clock.now() };
    await stores.writes.commit([stores.members.insertion(member)]);
    const answers = [];
    for (const id of [theirs, whole.id, "nobody"])
      for (const [method, body] of [["PUT", { member: { role: "owner" } }], ["DELETE"]] as const)
        answers.push(await server.ask(method, `/auth/members/${id}`, body, secret));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toEqual(refused(404, "Cannot find member"));
    expect(await stores.members.find(whole.id)).toEqual(member);
  });
});

describe("the last owner", () => {
  it("of a team stays, whoever asks, until there is another", async () => {
    const server = await managed();
    const { teamId, memberId, secret } = await memberOf(server, "owner");
    await server.member(await server.team("other"), { role: "owner", email: "other@example.com" });
    const path = `/auth/members/${memberId}`;
    const lesser = { member: { role: "admin" } };
    for (const key of [undefined, secret]) {
      const last = refused(409, "This is the last owner of the team: make somebody else an owner first.");
      expect(await server.ask("PUT", path, lesser, key)).toEqual(last);
      expect(await server.ask("DELETE", path, undefined, key)).toEqual(last);
    }
    const named = await server.ask("PUT", path, { member: { givenName: "A." } });
    expect(named).toMatchObject({ status: 200, body: { role: "owner" } });
    await server.member(teamId, { role: "owner", email: "next@example.com" });
    expect((await server.ask("PUT", path, lesser)).status).toBe(200);
    expect((await server.ask("DELETE", path)).status).toBe(200);
  });

  it("stays also where two of two go at the same moment", async () => {
    const server = await managed();
    const { teamId, memberId } = await memberOf(server, "owner");
    const other = await server.member(teamId, { role: "owner", email: "next@example.com" });
    const answers = await Promise.all(
      [memberId, other].map((id) => server.ask("DELETE", `/auth/members/${id}`)),
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

it("the audit log has what was done to members and by them, with their names, also of one who was removed", async () => {
  const server = await managed();
  const { teamId, memberId, secret } = await memberOf(server, "owner");
  await server.member(teamId, { role: "owner", email: "next@example.com" });
  await server.ask("POST", `/auth/teams/${teamId}/api-keys`, { name: "x" }, secret);
  await server.ask("PUT", `/auth/members/${memberId}`, { member: { familyName: "L." } }, secret);
  await server.ask("DELETE", `/auth/members/${memberId}`);
  const path = `/audit/teams/${teamId}/events?orderBy=TIME_ASCENDING`;
  const events = async (query = "") =>
    ((await server.ask("GET", path + query)).body as { events: readonly Told[] }).events;
  const operator = { userId: "00000000-0000-0000-0000-000000000000" };
  const ada = { userId: memberId, email: "owner@example.com", givenName: "Ada", familyName: "L." };
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
  const fields = { email: "owner@example.com", givenName: "Ada", familyName: "", role: "owner", teamId };
  expect([all[5]?.before, all[5]?.after]).toEqual([fields, { ...fields, familyName: "L." }]);
  expect([all[6]?.before, all[6]?.after]).toEqual([{ ...fields, familyName: "L." }, undefined]);
  expect(await events(`&eventFilter.userId=${memberId}`)).toEqual(all.slice(4, 6));
});
