import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { createCommandEnvironment } from "./accounts.js";

interface TeamJson {
  readonly teamId: string;
  readonly name: string;
}

interface EventJson {
  readonly act: string;
  readonly actor: string;
  readonly objectId: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

describe("hearth teams", () => {
  it("creates, lists, renames, blocks and unblocks teams by ID or name", async () => {
    const { hearth, json, authenticate } = await createCommandEnvironment();
    const { teamId } = await json<TeamJson>("teams", "create", "research");
    const ops = await json<TeamJson>("teams", "create", "ops", "--unmetered");
    expect(await hearth("teams", "rename", "research", "lab")).toBe(`renamed the team "lab", ID ${teamId}\n`);
    const { apiKey } = await json<{ apiKey: string }>("keys", "create", "--team", "lab");
    expect((await authenticate(apiKey)).team.id).toBe(teamId);
    expect(await json("teams", "block", teamId)).toMatchObject({ teamId, name: "lab", blocked: true });
    await expect(authenticate(apiKey)).rejects.toMatchObject({ kind: "permission_denied" });
    expect(await hearth("teams", "ls")).toBe(
      [
        "NAME   ID                                     BILLING     CREATED    STATE",
        `lab    ${teamId}   prepaid     just now   blocked`,
        `ops    ${ops.teamId}   unmetered   just now   active`,
        "",
      ].join("\n"),
    );
    expect(await hearth("teams", "create", "a team")).toMatch(
      /^created the team "a team", ID \S+\nGive it credit: hearth credits add 'a team' USD\nMake a key for it: hearth /,
    );
    await hearth("teams", "unblock", "lab");
    expect((await authenticate(apiKey)).team.blocked).toBe(false);
    expect((await json<TeamJson[]>("teams", "ls")).map(({ name }) => name)).toEqual(["lab", "ops", "a team"]);
  });

  it("exits with code 2 for an invalid name and fails for an unknown team", async () => {
    const { hearth } = await createCommandEnvironment();
    await expect(hearth("teams", "create", " ")).rejects.toBeInstanceOf(CommanderError);
    await expect(hearth("teams", "block", "nobody")).rejects.toThrow("Cannot find team 'nobody'.");
  });
});

describe("hearth management-keys", () => {
  it("creates keys for all teams or for one, lists and removes them", async () => {
    const { hearth, json, authenticateManager } = await createCommandEnvironment();
    const { teamId } = await json<TeamJson>("teams", "create", "research");
    const printed = await hearth("management-keys", "create", "--name", "console");
    const all = /^ {2}(hm-[0-9A-Za-z]{54})$/m.exec(printed)?.[1] ?? null;
    expect((await authenticateManager(all)).team).toBeNull();
    const words = ["--team", "research", "--acl", "team-token:endpoint:ListApiKeys", "--expires", "7d"];
    const one = await json<{ apiKey: string; apiKeyId: string }>("management-keys", "create", ...words);
    expect(await authenticateManager(one.apiKey)).toMatchObject({
      key: { acls: ["team-token:endpoint:ListApiKeys"], expireTime: Date.UTC(2026, 10, 28, 12) },
      team: { id: teamId },
    });
    const listed = await hearth("management-keys", "ls");
    expect(listed).toMatch(/^console +\S+ +hm-\.\.\.\S{4} +all +- +just now +never +active$/m);
    expect(listed).toMatch(/^unnamed +\S+ +hm-\.\.\.\S{4} +research +- +just now +never +active$/m);
    expect(await hearth("management-keys", "rm", one.apiKeyId)).toContain(`, ID ${one.apiKeyId}\n`);
    await expect(authenticateManager(one.apiKey)).rejects.toMatchObject({ kind: "bad_credential" });
    expect(await json("management-keys", "ls")).toHaveLength(1);
  });

  it("exits with code 2 for an ACL of API keys", async () => {
    const { hearth } = await createCommandEnvironment();
    const create = hearth("management-keys", "create", "--acl", "api-key:endpoint:*");
    await expect(create).rejects.toBeInstanceOf(CommanderError);
  });
});

describe("hearth audit", () => {
  it("lists changes made at the command line, the newest first, with values before and after", async () => {
    const { hearth, json } = await createCommandEnvironment();
    const { apiKeyId } = await json<{ apiKeyId: string }>("keys", "create", "--name", "laptop");
    for (const words of [
      ["update", apiKeyId, "--qps", "3"],
      ["disable", apiKeyId],
      ["rotate", apiKeyId],
    ])
      await hearth("keys", ...words);
    await hearth("keys", "rm", apiKeyId);
    const events = await json<EventJson[]>("audit");
    expect(events.map(({ act, actor }) => [act, actor])).toEqual([
      ["DeleteApiKey", "cli"],
      ["RotateApiKey", "cli"],
      ["UpdateApiKey", "cli"],
      ["UpdateApiKey", "cli"],
      ["CreateApiKey", "cli"],
      ["CreateTeam", "server"],
    ]);
    expect([events[3]?.before?.["qps"], events[3]?.after?.["qps"]]).toEqual([null, 3]);
    const printed = await hearth("audit", "--limit", "1");
    expect(printed).toMatch(
      /^TIME .*\n2026-11-21T12:00:00\.000Z {3}cli +Deleted the API key 'laptop' +\S+\n$/,
    );
    await expect(hearth("audit", "--limit", "0")).rejects.toBeInstanceOf(CommanderError);
  });
});
