import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../src/accounts/authenticate.js";
import { addKeysCommand } from "../../src/cli/keys.js";
import { emptyWorld } from "../accounts/world.js";
import { aKey, aTeam } from "../store/records.js";

async function world() {
  const empty = await emptyWorld();
  const authenticator = createAuthenticator(empty);
  const authenticate = (secret: string | null) => authenticator.authenticate(secret);
  let [closed, opened] = [0, 0];
  const run = async (...words: string[]): Promise<string> => {
    let printed = "";
    const program = new Command("hearth").exitOverride().configureOutput({ writeErr: () => undefined });
    const open = () => {
      opened += 1;
      return Promise.resolve({ service: empty.service, close: () => Promise.resolve(void (closed += 1)) });
    };
    addKeysCommand(program, open, { clock: empty.clock, out: { write: (text) => (printed += text) } });
    try {
      await program.parseAsync(["keys", ...words], { from: "user" });
    } finally {
      expect(closed).toBe(opened);
    }
    return printed;
  };
  return { ...empty, authenticate, run };
}

describe("hearth keys create", () => {
  it("prints a secret that opens the server, and says that it is not shown again", async () => {
    const { run, authenticate } = await world();
    const printed = await run("create", "--name", "my laptop");
    expect(printed).toMatch(/^API key "my laptop" of team "default", ID [0-9a-f]{8}-[0-9a-f]{4}:\n/);
    expect(printed).toContain("it is not shown again");
    const secret = /^ {2}(hk-[0-9A-Za-z]{54})$/m.exec(printed)?.[1] ?? null;
    expect((await authenticate(secret)).key.name).toBe("my laptop");
    expect(await run("ls", "--json")).not.toContain(secret);
  });

  it("prints one JSON object with --json", async () => {
    const { run, authenticate } = await world();
    const created = JSON.parse(await run("create", "--json")) as Record<string, string>;
    expect(created).toMatchObject({
      name: "unnamed",
      teamName: "default",
      createTime: "2026-11-21T12:00:00.000Z",
    });
    expect((await authenticate(created["apiKey"] ?? null)).key.id).toBe(created["apiKeyId"]);
  });

  it("ends with code 2 on a name that cannot be used", async () => {
    const { run, keys } = await world();
    await expect(run("create", "--name", "")).rejects.toMatchObject({
      exitCode: 2,
      message: "error: name must have 1 to 100 characters.",
    });
    expect(await keys.list(null)).toEqual([]);
  });
});

describe("hearth keys ls", () => {
  it("shows every key in a table, oldest first, without secrets", async () => {
    const { run, keys, teams, clock } = await world();
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
    expect(await run("ls")).toBe(
      [
        "NAME     ID              KEY          TEAM      CREATED          STATE",
        "größte   0193a7c2-0000   hk-...abcd   default   3 years ago      disabled",
        "laptop   0193a7c2-0001   hk-...abcd   default   2 months ago     blocked",
        "laptop   0193a7c2-0002   hk-...abcd   default   2 weeks ago      expired",
        "laptop   0193a7c2-0003   hk-...abcd   ops       1 day ago        team blocked",
        "laptop   0193a7c2-0004   ...          default   1 hour ago       active",
        "laptop   0193a7c2-0005   hk-...abcd   default   1 minute ago     active",
        "laptop   0193a7c2-0006   hk-...abcd   default   59 seconds ago   active",
        "laptop   0193a7c2-0007   hk-...abcd   default   just now         active",
        "",
      ].join("\n"),
    );
  });

  it("prints the head alone, or an empty JSON array, when there are no keys", async () => {
    const { run } = await world();
    expect(await run("ls")).toBe("NAME   ID   KEY   TEAM   CREATED   STATE\n");
    expect(JSON.parse(await run("ls", "--json"))).toEqual([]);
  });
});

describe("hearth keys rm", () => {
  it("removes by the ID that ls shows, and prints what it removed", async () => {
    const { run, keys } = await world();
    const { apiKeyId } = JSON.parse(await run("create", "--json")) as { apiKeyId: string };
    expect(await run("rm", apiKeyId.slice(0, 13))).toBe(`${apiKeyId}\n`);
    expect(await keys.list(null)).toEqual([]);
  });

  it("removes what it can and fails for the rest", async () => {
    const { run, keys } = await world();
    const { redactedApiKey } = JSON.parse(await run("create", "--json")) as { redactedApiKey: string };
    await expect(run("rm", "nope", redactedApiKey, "neither")).rejects.toThrow(
      "Cannot find API key 'nope'.\nCannot find API key 'neither'.",
    );
    expect(await keys.list(null)).toEqual([]);
  });

  it("refuses to run without an ID", async () => {
    const { run } = await world();
    await expect(run("rm")).rejects.toMatchObject({ code: "commander.missingArgument" });
  });
});
