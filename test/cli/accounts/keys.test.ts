import { aKey } from "../../kit/a-key.js";
import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { aTeam } from "../../store/records.js";
import { createCommandEnvironment } from "./accounts.js";

async function createEnvironment() {
  const commands = await createCommandEnvironment();
  return { ...commands, run: (...words: string[]) => commands.hearth("keys", ...words) };
}

describe("hearth keys create", () => {
  it("prints a valid secret and a note that it is not shown again", async () => {
    const { run, authenticate } = await createEnvironment();
    const printed = await run("create", "--name", "my laptop");
    expect(printed).toMatch(/^API key "my laptop" of team "default", ID [0-9a-f]{8}-[0-9a-f]{4}:\n/);
    expect(printed).toContain("it is not shown again");
    const secret = /^ {2}(hk-[0-9A-Za-z]{54})$/m.exec(printed)?.[1] ?? null;
    expect((await authenticate(secret)).key.name).toBe("my laptop");
    expect(await run("ls", "--json")).not.toContain(secret);
  });

  it("prints one JSON object with --json", async () => {
    const { run, authenticate } = await createEnvironment();
    const created = JSON.parse(await run("create", "--json")) as Record<string, string>;
    expect(created).toMatchObject({
      name: "unnamed",
      teamName: "default",
      createTime: "2026-11-21T12:00:00.000Z",
    });
    expect((await authenticate(created["apiKey"] ?? null)).key.id).toBe(created["apiKeyId"]);
  });

  it("exits with code 2 for an invalid name", async () => {
    const { run, keys } = await createEnvironment();
    await expect(run("create", "--name", "")).rejects.toMatchObject({
      exitCode: 2,
      message: "error: name must have 1 to 100 characters.",
    });
    expect(await keys.list(null)).toEqual([]);
  });
});

describe("hearth keys ls", () => {
  it("shows every key in a table, the oldest first, without secrets", async () => {
    const { run, keys, keyUses, teams, clock } = await createEnvironment();
    const ago = (seconds: number) => ({ createTime: clock.time - seconds * 1000 });
    await teams.insert(aTeam());
    await teams.insert(aTeam({ id: "team-2", name: "ops", blocked: true }));
    const changes = [
      { ...ago(3 * 31_536_000), name: "größte", disabled: true },
      { ...ago(70 * 86_400), blocked: true },
      { ...ago(15 * 86_400), expireTime: clock.time },
      { ...ago(86_400), teamId: "team-2" },
      { ...ago(7199), redacted: "..." },
      { ...ago(60), expireTime: clock.time + 1 },
      ago(59),
      ago(-100),
    ];
    for (const [index, change] of changes.entries())
      await keys.insert(
        aKey({ id: `0193a7c2-000${index}-7`, hash: new Uint8Array(32).fill(index), ...change }),
      );
    await keyUses.write(new Map([["0193a7c2-0000-7", clock.time - 300_000]]));
    expect(await run("ls")).toBe(
      [
        "NAME     ID                KEY          TEAM      CREATED          LAST USED       STATE",
        "größte   0193a7c2-0000-7   hk-...abcd   default   3 years ago      5 minutes ago   disabled",
        "laptop   0193a7c2-0001-7   hk-...abcd   default   2 months ago     never           blocked",
        "laptop   0193a7c2-0002-7   hk-...abcd   default   2 weeks ago      never           expired",
        "laptop   0193a7c2-0003-7   hk-...abcd   ops       1 day ago        never           team blocked",
        "laptop   0193a7c2-0004-7   ...          default   1 hour ago       never           active",
        "laptop   0193a7c2-0005-7   hk-...abcd   default   1 minute ago     never           active",
        "laptop   0193a7c2-0006-7   hk-...abcd   default   59 seconds ago   never           active",
        "laptop   0193a7c2-0007-7   hk-...abcd   default   just now         never           active",
        "",
      ].join("\n"),
    );
  });

  it("shows the keys of one team, by its name or id", async () => {
    const { run, keys, teams } = await createEnvironment();
    await teams.insert(aTeam());
    await teams.insert(aTeam({ id: "team-2", name: "ops" }));
    await keys.insert(aKey({ id: "key-of-the-first" }));
    await keys.insert(aKey({ id: "key-of-ops", teamId: "team-2", hash: new Uint8Array(32) }));
    for (const team of ["ops", "team-2"])
      expect(JSON.parse(await run("ls", "--json", "--team", team))).toMatchObject([
        { apiKeyId: "key-of-ops" },
      ]);
    await expect(run("ls", "--team", "nobody")).rejects.toThrow(/nobody/);
  });

  it("prints only the header, or an empty JSON array, if there are no keys", async () => {
    const { run } = await createEnvironment();
    expect(await run("ls")).toBe("NAME   ID   KEY   TEAM   CREATED   LAST USED   STATE\n");
    expect(JSON.parse(await run("ls", "--json"))).toEqual([]);
  });
});

describe("hearth keys rm", () => {
  it("removes a key by the ID that ls shows and prints its full ID", async () => {
    const { run, keys } = await createEnvironment();
    const { apiKeyId } = JSON.parse(await run("create", "--json")) as { apiKeyId: string };
    expect(await run("rm", apiKeyId.slice(0, 13))).toBe(`removed the API key "unnamed", ID ${apiKeyId}\n`);
    expect(await keys.list(null)).toEqual([]);
  });

  it("removes the known keys and fails for the others", async () => {
    const { run, keys } = await createEnvironment();
    const { redactedApiKey } = JSON.parse(await run("create", "--json")) as { redactedApiKey: string };
    await expect(run("rm", "nope", redactedApiKey, "neither")).rejects.toThrow(
      "Cannot find API key 'nope'. `hearth keys ls` lists them.\nCannot find API key 'neither'. `hearth keys ls` lists them.",
    );
    expect(await keys.list(null)).toEqual([]);
  });

  it("refuses to run without an ID", async () => {
    const { run } = await createEnvironment();
    await expect(run("rm")).rejects.toMatchObject({ code: "commander.missingArgument" });
  });
});

interface KeyJson {
  readonly apiKeyId: string;
  readonly apiKey: string;
  readonly teamName: string;
  readonly [field: string]: unknown;
}

describe("hearth keys update", () => {
  it("changes only the given properties", async () => {
    const { json, run } = await createEnvironment();
    const limits = ["--qps", "2", "--tpm", "900", "--expires", "30d", "--acl", "api-key:endpoint:chat"];
    const { apiKey, ...made } = await json<KeyJson>("keys", "create", "--name", "laptop", ...limits);
    expect(made).toMatchObject({ qps: 2, tpm: "900", aclStrings: ["api-key:endpoint:chat"] });
    expect(made["expireTime"]).toBe("2026-12-21T12:00:00.000Z");
    const words = ["--name", "desk", "--tpm", "none", "--expires", "never", "--acl", "api-key:model:*"];
    const { qps, ...changed } = await json<KeyJson>("keys", "update", made.apiKeyId, ...words);
    expect([qps, changed["name"], changed["aclStrings"]]).toEqual([2, "desk", ["api-key:model:*"]]);
    expect(["tpm", "expireTime", "apiKey"].filter((field) => field in changed)).toEqual([]);
    expect(await run("update", made.apiKeyId, "--qpm", "9")).toContain(`, ID ${made.apiKeyId}\n`);
    const ofUsers = ["keys", "update", made.apiKeyId, "--user-qpm", "20", "--user-tpm", "4000"];
    expect(await json<KeyJson>(...ofUsers)).toMatchObject({ qpm: 9, endUserQpm: 20, endUserTpm: "4000" });
    const without = await json<KeyJson>("keys", "update", made.apiKeyId, "--user-qpm", "none");
    expect([without["endUserQpm"], without["endUserTpm"]]).toEqual([undefined, "4000"]);
    expect(apiKey).toBeDefined();
  });

  it.each([
    ["no change", []],
    ["an invalid limit", ["--qps", "many"]],
    ["a limit of 0", ["--qps", "0"]],
    ["an invalid time", ["--expires", "soon"]],
    ["a time in the past", ["--expires", "2020-01-01"]],
    ["an unknown ACL", ["--acl", "chat"]],
  ])("exits with code 2 for %s", async (_, words) => {
    const { json, run } = await createEnvironment();
    const { apiKeyId } = await json<KeyJson>("keys", "create");
    await expect(run("update", apiKeyId, ...words)).rejects.toBeInstanceOf(CommanderError);
  });
});

describe("hearth keys rotate", () => {
  it("prints a new secret once and the time until which the old one is valid", async () => {
    const { json, run, authenticate, clock } = await createEnvironment();
    const { apiKey, apiKeyId } = await json<KeyJson>("keys", "create");
    const printed = await run("rotate", apiKeyId, "--old-secret-expires", "1h");
    expect(printed).toContain("The old secret is valid until 2026-11-21T13:00:00.000Z.");
    const secret = /^ {2}(hk-[0-9A-Za-z]{54})$/m.exec(printed)?.[1] ?? null;
    for (const either of [apiKey, secret]) expect((await authenticate(either)).key.id).toBe(apiKeyId);
    clock.time += 3_600_000;
    await expect(authenticate(apiKey)).rejects.toMatchObject({ kind: "bad_credential" });
    expect((await authenticate(secret)).key.id).toBe(apiKeyId);
  });

  it("exits with code 2 if the old secret would be valid for too long", async () => {
    const { json, run } = await createEnvironment();
    const { apiKeyId } = await json<KeyJson>("keys", "create");
    for (const time of ["8d", "never"])
      await expect(run("rotate", apiKeyId, "--old-secret-expires", time)).rejects.toBeInstanceOf(
        CommanderError,
      );
  });
});

describe("hearth keys disable and enable", () => {
  it("make a key invalid and valid again", async () => {
    const { json, run, authenticate } = await createEnvironment();
    const { apiKey, apiKeyId } = await json<KeyJson>("keys", "create");
    expect(await run("disable", apiKeyId)).toBe(`disabled the API key "unnamed", ID ${apiKeyId}\n`);
    await expect(authenticate(apiKey)).rejects.toMatchObject({ kind: "permission_denied" });
    expect(await json("keys", "enable", apiKeyId)).toEqual([apiKeyId]);
    expect((await authenticate(apiKey)).key.disabled).toBe(false);
  });
});

describe("hearth keys block and unblock", () => {
  it("make a key invalid and valid again; enabling it does not unblock it", async () => {
    const { json, run, authenticate } = await createEnvironment();
    const { apiKey, apiKeyId } = await json<KeyJson>("keys", "create");
    expect(await run("block", apiKeyId)).toBe(`blocked the API key "unnamed", ID ${apiKeyId}\n`);
    await run("enable", apiKeyId);
    await expect(authenticate(apiKey)).rejects.toMatchObject({
      kind: "permission_denied",
      message: "This API key is blocked. Please ask the operator of this server.",
    });
    expect(await json("keys", "ls")).toMatchObject([{ status: "blocked", blocked: true, disabled: false }]);
    expect(await json("keys", "unblock", apiKeyId)).toEqual([apiKeyId]);
    expect((await authenticate(apiKey)).key.blocked).toBe(false);
    expect(await json("keys", "ls")).toMatchObject([{ status: "active" }]);
    const acts = await json<{ description: string; actor: string }[]>("audit", "--limit", "3");
    expect(acts.map(({ description, actor }) => [description, actor])).toEqual([
      ["Unblocked the API key 'unnamed'", "cli"],
      ["Updated the API key 'unnamed'", "cli"],
      ["Blocked the API key 'unnamed'", "cli"],
    ]);
  });
});

describe("hearth keys --ip", () => {
  it("restricts a key to addresses; any removes the restriction", async () => {
    const { json, run, authenticate } = await createEnvironment();
    const ranges = ["10.0.0.0/8", "2001:db8::/32"];
    const words = ranges.flatMap((range) => ["--ip", range]);
    const { apiKey, apiKeyId, ...made } = await json<KeyJson>("keys", "create", ...words);
    expect(made["ipRanges"]).toEqual(ranges);
    await expect(authenticate(apiKey)).rejects.toMatchObject({ kind: "permission_denied" });
    expect(await json("keys", "update", apiKeyId, "--name", "desk")).toMatchObject({ ipRanges: ranges });
    expect(await json("keys", "update", apiKeyId, "--ip", "any")).not.toHaveProperty("ipRanges");
    expect((await authenticate(apiKey)).key.id).toBe(apiKeyId);
    await expect(run("update", apiKeyId, "--ip", "10.0.0.0/40")).rejects.toBeInstanceOf(CommanderError);
  });
});
