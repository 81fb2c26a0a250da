import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { createCommandEnvironment } from "./accounts.js";

describe("hearth budgets", () => {
  it("sets, lists and removes the budgets of a key, a member and a team", async () => {
    const { hearth, json } = await createCommandEnvironment();
    const { teamId } = await json<{ teamId: string }>("teams", "create", "research");
    const { apiKeyId: id } = await json<{ apiKeyId: string }>(
      "keys",
      "create",
      "--team",
      "research",
      "--name",
      "laptop",
    );
    await hearth("members", "add", "ada@example.com", "--team", "research");
    const period = (name: string) => ["--period", name] as const;
    const [ofKey] = await json<object[]>(
      ...["budgets", "set", "--key", id, ...period("week")],
      ...["--hard-usd", "12.5", "--soft-usd", "10", "--hard-tokens", "100000"],
    );
    expect(ofKey).toEqual({
      subject: "key",
      id,
      name: "laptop",
      teamId,
      period: "week",
      hardUsd: "12.50",
      softUsd: "10.00",
      spentUsd: "0.00",
      reservedUsd: "0.00",
      hardTokens: 100_000,
      softTokens: null,
      spentTokens: 0,
      reservedTokens: 0,
      startTime: "2026-11-16T00:00:00.000Z",
      resetTime: "2026-11-23T00:00:00.000Z",
    });
    await hearth("budgets", "set", "--member", "ada@example.com", ...period("day"), "--hard-tokens", "9");
    await hearth("budgets", "set", "--team", "research", ...period("total"), "--soft-usd", "7");
    const listed = await json<readonly object[]>("budgets", "list", "research");
    expect(listed).toHaveLength(3);
    expect(listed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ subject: "member", name: "ada@example.com", hardTokens: 9 }),
        expect.objectContaining({ subject: "team", name: "research", softUsd: "7.00", resetTime: null }),
      ]),
    );
    const table = await hearth("budgets", "list");
    expect(table).toMatch(/^SUBJECT +NAME +ID +PERIOD +SPENT USD/);
    expect(table).toContain("never");
    const gone = ["budgets", "set", "--team", teamId, ...period("total"), "--soft-usd", "none"];
    expect(await json(...gone)).toEqual([]);
    expect(await json("budgets", "list")).toHaveLength(2);
    const [newest] = await json<object[]>("audit");
    expect(newest).toMatchObject({
      act: "SetBudget",
      actor: "cli",
      objectId: teamId,
      description: "Set the total budget of the team 'research'",
      before: { subject: "team", period: "total", softUsd: "7.00" },
    });
  });

  it("sets and lists the budgets of a tag and of an end user of a team", async () => {
    const { hearth, json } = await createCommandEnvironment();
    const { teamId } = await json<{ teamId: string }>("teams", "create", "research");
    const common = ["--team", "research", "--period", "day", "--hard-tokens", "9"];
    const [ofTag] = await json<object[]>("budgets", "set", "--tag", "env:prod", ...common);
    expect(ofTag).toMatchObject({ subject: "tag", id: "env:prod", name: "env:prod", teamId, hardTokens: 9 });
    await hearth("budgets", "set", "--user", "env:prod", ...common);
    expect(await json("budgets", "list")).toMatchObject([
      { subject: "tag", id: "env:prod" },
      { subject: "user", id: "env:prod" },
    ]);
    const [newest] = await json<object[]>("audit");
    expect(newest).toMatchObject({ description: "Set the daily budget of the end user 'env:prod'" });
    for (const words of [
      ["--tag", "a", "--period", "day"],
      ["--tag", "a", "--user", "b", ...common],
    ])
      await expect(hearth("budgets", "set", ...words, "--hard-usd", "1")).rejects.toBeInstanceOf(
        CommanderError,
      );
  });

  it("exits with code 2 for a budget of nothing, or without a period or a limit", async () => {
    const { hearth, json } = await createCommandEnvironment();
    await json("teams", "create", "research");
    for (const words of [
      ["--team", "research", "--hard-usd", "1"],
      ["--team", "research", "--period", "year", "--hard-usd", "1"],
      ["--team", "research", "--period", "day"],
      ["--team", "research", "--period", "day", "--hard-usd", "much"],
      ["--team", "research", "--period", "day", "--hard-tokens", "-1"],
      ["--team", "research", "--key", "1234", "--period", "day", "--hard-usd", "1"],
      ["--period", "day", "--hard-usd", "1"],
    ])
      await expect(hearth("budgets", "set", ...words)).rejects.toBeInstanceOf(CommanderError);
    await expect(hearth("budgets", "list", "nobody")).rejects.toThrow("Cannot find team 'nobody'.");
  });
});
