import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { commandWorld } from "./accounts.js";

interface MemberJson {
  readonly memberId: string;
  readonly email: string;
  readonly [field: string]: unknown;
}

interface KeyJson {
  readonly apiKey: string;
  readonly [field: string]: unknown;
}

describe("hearth members", () => {
  it("adds, lists, changes and removes members, by ID or e-mail in whatever case", async () => {
    const { hearth, json } = await commandWorld();
    await hearth("teams", "create", "research");
    const ada = await json<MemberJson>("members", "add", "ada@example.com", "--name", "Ada King Lovelace");
    expect(ada).toEqual({
      memberId: expect.any(String) as string,
      email: "ada@example.com",
      givenName: "Ada King",
      familyName: "Lovelace",
      role: "member",
      createTime: "2026-11-21T12:00:00.000Z",
    });
    const words = ["add", "grace@example.com", "--role", "owner", "--team", "research"];
    const grace = (await hearth("members", ...words)).trim();
    expect(await hearth("members", "ls")).toBe(
      [
        "EMAIL               NAME                ID              ROLE     TEAM       CREATED",
        `ada@example.com     Ada King Lovelace   ${ada.memberId.slice(0, 13)}   member   all        just now`,
        `grace@example.com   -                   ${grace.slice(0, 13)}   owner    research   just now`,
        "",
      ].join("\n"),
    );
    const change = ["--role", "admin", "--name", "Augusta", "--email", "augusta@example.com"];
    expect(await json("members", "update", "ADA@example.com", ...change)).toMatchObject({
      ...{ memberId: ada.memberId, email: "augusta@example.com", role: "admin" },
      ...{ givenName: "Augusta", familyName: "" },
    });
    expect(await hearth("members", "rm", "augusta@example.com")).toBe(`${ada.memberId}\n`);
    expect((await json<MemberJson[]>("members", "ls")).map(({ email }) => email)).toEqual([
      "grace@example.com",
    ]);
  });

  it("does not remove the last owner, and removes the others that were named", async () => {
    const { hearth, json, printed } = await commandWorld();
    await hearth("members", "add", "ada@example.com", "--role", "owner");
    await hearth("members", "add", "grace@example.com");
    const remove = hearth("members", "rm", "ada@example.com", "grace@example.com", "--json");
    await expect(remove).rejects.toThrow("This is the last owner of the server");
    expect(JSON.parse(printed())).toHaveLength(1);
    await expect(hearth("members", "update", "ada@example.com", "--role", "admin")).rejects.toThrow(
      "last owner",
    );
    expect(await json("members", "ls")).toMatchObject([{ email: "ada@example.com", role: "owner" }]);
  });

  it.each([
    ["an e-mail that is none", ["add", "ada"]],
    ["a role that is none", ["add", "ada@example.com", "--role", "king"]],
    ["nothing to change", ["update", "grace@example.com"]],
  ])("ends with code 2 on %s", async (_, words) => {
    const { hearth, members } = await commandWorld();
    await hearth("members", "add", "grace@example.com");
    await expect(hearth("members", ...words)).rejects.toBeInstanceOf(CommanderError);
    expect(await members.count()).toBe(1);
  });
});

describe("hearth management-keys create --member", () => {
  it("makes a key that is the member's, for their team where none is named, and may what they may", async () => {
    const { hearth, json, authenticateManager } = await commandWorld();
    const { teamId } = await json<{ teamId: string }>("teams", "create", "research");
    const add = ["add", "ada@example.com", "--team", "research", "--role", "admin"];
    const { memberId } = await json<MemberJson>("members", ...add);
    const create = ["management-keys", "create", "--member", "ada@example.com"];
    const { apiKey, ...told } = await json<KeyJson>(...create);
    expect(told).toMatchObject({ ownerUserId: memberId, scopeId: teamId });
    const { member, team } = await authenticateManager(apiKey);
    expect([member?.role, team?.id]).toEqual(["admin", teamId]);
    expect(await hearth("management-keys", "ls")).toMatch(
      /^unnamed .* research +ada@example\.com +just now/m,
    );
    await hearth("teams", "create", "other");
    await expect(hearth(...create, "--team", "other")).rejects.toBeInstanceOf(CommanderError);
    await expect(hearth("management-keys", "create", "--member", "bob@example.com")).rejects.toThrow(
      "Cannot find member",
    );
    await hearth("members", "rm", "ada@example.com");
    await expect(authenticateManager(apiKey)).rejects.toMatchObject({ kind: "bad_credential" });
    expect(await json("management-keys", "ls")).toEqual([]);
  });

  it("--ip lets it open from there alone", async () => {
    const { json, authenticateManager } = await commandWorld();
    const { apiKey, ipRanges } = await json<KeyJson>("management-keys", "create", "--ip", "127.0.0.0/8");
    expect(ipRanges).toEqual(["127.0.0.0/8"]);
    expect((await authenticateManager(apiKey)).key.ipRanges).toEqual(ipRanges);
    const other = await json<KeyJson>("management-keys", "create", "--ip", "10.0.0.1");
    await expect(authenticateManager(other.apiKey)).rejects.toMatchObject({ kind: "permission_denied" });
  });
});

it("hearth audit tells of members by their e-mail, and with --json their names", async () => {
  const { hearth, json, managementKeyService, memberService, auditLog } = await commandWorld();
  await hearth("members", "add", "ada@example.com", "--name", "Ada Lovelace");
  const { id: memberId } = await memberService.meant("ada@example.com");
  const { key } = await managementKeyService.create(
    { name: "x", teamId: null, memberId },
    { id: "hm", userId: memberId, teamId: null },
  );
  expect((await auditLog.newest(1))[0]?.objectId).toBe(key.id);
  const [made, added] = await json<{ user: object; description: string }[]>("audit");
  expect(made?.user).toEqual({
    ...{ userId: memberId, email: "ada@example.com" },
    ...{ givenName: "Ada", familyName: "Lovelace" },
  });
  expect(added).toMatchObject({
    description: "Added the member 'ada@example.com'",
    user: { userId: "00000000-0000-0000-0000-000000000000" },
  });
  expect(await hearth("audit")).toMatch(/^\S+ +ada@example\.com +Created the management key 'x' /m);
});
