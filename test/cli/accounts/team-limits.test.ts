import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { createCommandEnvironment } from "./accounts.js";

describe("hearth teams limits", () => {
  it("sets, shows and removes the limits of a team for all models and for one", async () => {
    const { hearth, json } = await createCommandEnvironment();
    const { teamId } = await json<{ teamId: string }>("teams", "create", "research");
    expect(await hearth("teams", "limits", "research")).toBe("MODEL   QPS   QPM   TPM\n");
    await hearth("teams", "limits", "research", "--qpm", "600", "--tpm", "100000");
    await hearth("teams", "limits", teamId, "--model", "ember-1m", "--qps", "2");
    expect(await hearth("teams", "limits", "research")).toBe(
      [
        "MODEL       QPS    QPM      TPM",
        "*          none    600   100000",
        "ember-1m      2   none     none",
        "",
      ].join("\n"),
    );
    const changed = await json("teams", "limits", "research", "--qpm", "none", "--qps", "9");
    expect(changed).toEqual([
      { model: "*", qps: 9, qpm: null, tpm: 100_000 },
      { model: "ember-1m", qps: 2, qpm: null, tpm: null },
    ]);
    expect(await json("teams", "limits", "research", "--model", "ember-1m", "--qps", "none")).toEqual([]);
    expect(await json("teams", "limits", "research")).toHaveLength(1);
  });

  it("is written to the audit log with the values before and after", async () => {
    const { hearth, json } = await createCommandEnvironment();
    const { teamId } = await json<{ teamId: string }>("teams", "create", "research");
    await hearth("teams", "limits", "research", "--qpm", "5");
    await hearth("teams", "limits", "research", "--qpm", "6");
    const [newest] = await json<object[]>("audit");
    expect(newest).toMatchObject({
      act: "UpdateTeamLimits",
      actor: "cli",
      objectId: teamId,
      description: "Changed the limits of the team 'research' on every model",
      before: { model: "*", qps: null, qpm: 5, tpm: null },
      after: { model: "*", qps: null, qpm: 6, tpm: null },
    });
  });

  it("exits with code 2 for an invalid limit or model and fails for an unknown team", async () => {
    const { hearth, json } = await createCommandEnvironment();
    await json("teams", "create", "research");
    for (const words of [
      ["--qps", "0"],
      ["--qpm", "many"],
      ["--qps", "2147483648"],
      ["--model", "a b", "--qps", "1"],
    ])
      await expect(hearth("teams", "limits", "research", ...words)).rejects.toBeInstanceOf(CommanderError);
    await expect(hearth("teams", "limits", "nobody")).rejects.toThrow("Cannot find team 'nobody'.");
  });
});
