import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { hashSecret } from "../../../src/accounts/credentials/secret.js";
import { createCommandEnvironment } from "./accounts.js";

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
  it("adds, lists, changes and removes members by ID or e-mail, ignoring case", async () => {
    const { hearth, json } = await createCommandEnvironment();
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
    const added = await hearth("members", ...words);
    expect(added).toMatch(
      /^added the member grace@example\.com \(owner\), ID \S+\nLet them sign in: hearth /,
    );
    const grace = / ID (\S+)/.exec(added)?.[1] ?? "";
    expect(await hearth("members", "ls")).toBe(
      [
        "EMAIL               NAME                ID                                     ROLE     TEAM       CREATED",
        `ada@example.com     Ada King Lovelace   ${ada.memberId}   member   all        just now`,
        `grace@example.com   -                   ${grace}   owner    research   just now`,
        "",
      ].join("\n"),
    );
    const change = ["--role", "admin", "--name", "Augusta", "--email", "augusta@example.com"];
    expect(await json("members", "update", "ADA@example.com", ...change)).toMatchObject({
      memberId: ada.memberId,
      email: "augusta@example.com",
      role: "admin",
      givenName: "Augusta",
      familyName: "",
    });
    expect(await hearth("members", "rm", "augusta@example.com")).toContain(`, ID ${ada.memberId}\n`);
    expect((await json<MemberJson[]>("members", "ls")).map(({ email }) => email)).toEqual([
      "grace@example.com",
    ]);
  });

  it("does not remove the last owner, but removes the other given members", async () => {
    const { hearth, json, printed } = await createCommandEnvironment();
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
    ["an invalid e-mail", ["add", "ada"]],
    ["an unknown role", ["add", "ada@example.com", "--role", "king"]],
    ["no change", ["update", "grace@example.com"]],
  ])("exits with code 2 for %s", async (_, words) => {
    const { hearth, members } = await createCommandEnvironment();
    await hearth("members", "add", "grace@example.com");
    await expect(hearth("members", ...words)).rejects.toBeInstanceOf(CommanderError);
    expect(await members.count()).toBe(1);
  });
});

describe("hearth management-keys create --member", () => {
  it("creates a key of the member, by default for the member's team, limited by the member's role", async () => {
    const { hearth, json, authenticateManager } = await createCommandEnvironment();
    const { teamId } = await json<{ teamId: string }>("teams", "create", "research");
    const add = ["add", "ada@example.com", "--team", "research", "--role", "admin"];
    const { memberId } = await json<MemberJson>("members", ...add);
    const create = ["management-keys", "create", "--member", "ada@example.com"];
    const { apiKey, ...fields } = await json<KeyJson>(...create);
    expect(fields).toMatchObject({ ownerUserId: memberId, scopeId: teamId });
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

  it("--ip restricts it to an address", async () => {
    const { json, authenticateManager } = await createCommandEnvironment();
    const { apiKey, ipRanges } = await json<KeyJson>("management-keys", "create", "--ip", "127.0.0.0/8");
    expect(ipRanges).toEqual(["127.0.0.0/8"]);
    expect((await authenticateManager(apiKey)).key.ipRanges).toEqual(ipRanges);
    const other = await json<KeyJson>("management-keys", "create", "--ip", "10.0.0.1");
    await expect(authenticateManager(other.apiKey)).rejects.toMatchObject({ kind: "permission_denied" });
  });
});

it("hearth audit shows members by their e-mail, and with --json also their names", async () => {
  const { hearth, json, managementKeyService, memberService, auditLog } = await createCommandEnvironment();
  await hearth("members", "add", "ada@example.com", "--name", "Ada Lovelace");
  const { id: memberId } = await memberService.resolve("ada@example.com");
  const { key } = await managementKeyService.create(
    { name: "x", teamId: null, memberId },
    { id: "hm", userId: memberId, teamId: null },
  );
  expect((await auditLog.newest(1))[0]?.objectId).toBe(key.id);
  const [made, added] = await json<{ user: object; description: string }[]>("audit");
  expect(made?.user).toEqual({
    userId: memberId,
    email: "ada@example.com",
    givenName: "Ada",
    familyName: "Lovelace",
  });
  expect(added).toMatchObject({
    description: "Added the member 'ada@example.com'",
    user: { userId: "00000000-0000-0000-0000-000000000000" },
  });
  expect(await hearth("audit")).toMatch(/^\S+ +ada@example\.com +Created the management key 'x' /m);
});

describe("hearth members sign-in-link and reset", () => {
  const linkOf =
    /^http:\/\/127\.0\.0\.1:4280\/console#link=([\w-]{43})\n\nIt works once, within 24 hours\.\n$/;

  it("print a link of the first owner, and of a member; only its hash is stored, and a newer one replaces it", async () => {
    const { hearth, json, signIns } = await createCommandEnvironment();
    const secretOf = (text: string) => linkOf.exec(text)?.[1] ?? "";
    const first = secretOf(await hearth("members", "sign-in-link"));
    const ada = await json<MemberJson>("members", "add", "ada@example.com", "--role", "owner");
    const former = secretOf(await hearth("members", "sign-in-link", "ada@example.com"));
    const newer = secretOf(await hearth("members", "reset", ada.memberId));
    const found = await Promise.all(
      [first, former, newer].map((secret) => signIns.findLink(hashSecret(secret))),
    );
    expect(found.map((link) => link?.memberId)).toEqual([null, undefined, ada.memberId]);
    await expect(hearth("members", "sign-in-link")).rejects.toThrow("The server has an owner already");
    await expect(hearth("members", "reset", "bob@example.com")).rejects.toThrow("member");
  });

  it("removes the password of a member and ends their sessions", async () => {
    const { json, signIns, writes, clock } = await createCommandEnvironment();
    const { memberId } = await json<MemberJson>("members", "add", "ada@example.com");
    const hash = new Uint8Array(32);
    const times = { createTime: clock.now(), lastUseTime: clock.now(), expireTime: clock.now() + 1 };
    await writes.commit([
      signIns.passwordWrite(memberId, "a hash"),
      ...signIns.sessionWrites({ id: "session-1", memberId, hash, ...times }, 20),
    ]);
    expect((await json<{ link: string }>("members", "reset", "ada@example.com")).link).toContain("#link=");
    expect(await signIns.findSignIn(memberId)).toEqual({ password: null, apiKeyId: null });
    expect(await signIns.findSession(hash)).toBeNull();
  });
});
