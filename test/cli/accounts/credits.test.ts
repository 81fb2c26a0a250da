import { describe, expect, it } from "vitest";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { aRun, aTeam } from "../../store/records.js";
import { createCommandEnvironment } from "./accounts.js";

async function createEnvironment() {
  const commands = await createCommandEnvironment();
  await commands.teams.insert(aTeam({ id: "team-one-1", name: "ops", billing: "prepaid" }));
  await commands.teams.insert(aTeam({ id: "team-one-2", name: "lab" }));
  return { ...commands, run: commands.hearth };
}

describe("hearth credits", () => {
  it("adds, refunds and adjusts credit to the last tick and shows the balances", async () => {
    const { run } = await createEnvironment();
    await run("credits", "add", "ops", "12.5000000001", "--note", "invoice 7");
    await run("credits", "refund", "team-one-1", "2.5");
    await run("credits", "adjust", "ops", "--", "-0.0000000001");
    expect(await run("credits", "show")).toBe(
      [
        "NAME   ID           BILLING     CREDIT USD   RESERVED USD   USED USD   MONTH USD   LIMIT USD",
        "ops    team-one-1   prepaid          10.00           0.00       0.00        0.00        none",
        "lab    team-one-2   unmetered         0.00           0.00       0.00        0.00        none",
        "",
      ].join("\n"),
    );
    expect(JSON.parse(await run("credits", "show", "ops", "--json"))).toEqual([
      {
        teamId: "team-one-1",
        name: "ops",
        billing: "prepaid",
        creditUsd: "10.00",
        reservedUsd: "0.00",
        usedUsd: "0.00",
        boughtUsd: "10.0000000001",
        adjustedUsd: "-0.0000000001",
        monthUsd: "0.00",
        monthReservedUsd: "0.00",
        hardLimitUsd: null,
        softLimitUsd: null,
      },
    ]);
    expect(await run("ledger", "verify")).toBe("The ledger balances.\n");
  });

  it("writes every change to the audit log in the same transaction", async () => {
    const { run, json } = await createEnvironment();
    await run("credits", "add", "ops", "5", "--note", "invoice 8");
    await expect(run("credits", "refund", "ops", "6")).rejects.toThrow("5.00 USD");
    expect(await json("audit")).toMatchObject([
      {
        act: "PurchaseCredit",
        actor: "cli",
        objectId: "team-one-1",
        description: "Added 5.00 USD of credit for the team 'ops'",
        after: { usd: "5.00", note: "invoice 8" },
      },
    ]);
  });

  it.each([
    [["add", "ops", "12,50"], "amount must be an amount of USD such as 12.50."],
    [["add", "ops", "1e3"], "amount must be an amount of USD such as 12.50."],
    [["add", "ops", "0.00000000001"], "amount must have at most 10 decimal places."],
    [["add", "ops", "900720"], "amount must be at most 900719 USD."],
    [["add", "ops", "0.0"], "amount must not be 0."],
    [["add", "ops", "--", "-1"], "amount must not be negative."],
  ])("exits with code 2 for %j and changes nothing", async (words, message) => {
    const { run, ledger } = await createEnvironment();
    await expect(run("credits", ...words)).rejects.toMatchObject({
      exitCode: 2,
      message: `error: ${message}`,
    });
    expect((await ledger.balances()).size).toBe(0);
  });

  it("refuses to subtract more than the available credit and reports that amount", async () => {
    const { run, ledger } = await createEnvironment();
    await run("credits", "add", "ops", "3");
    for (const words of [
      ["refund", "ops", "3.01"],
      ["adjust", "ops", "--", "-3.01"],
    ])
      await expect(run("credits", ...words)).rejects.toThrow(
        "The team 'ops' has only 3.00 USD of credit that can be taken.",
      );
    expect((await ledger.readBalances("team-one-1")).credit).toBe(30_000_000_000n);
  });

  it("changes nothing if no team matches, or more than one", async () => {
    const { run } = await createEnvironment();
    await expect(run("credits", "add", "team", "1")).rejects.toThrow("More than one team is called 'team'");
    await expect(run("credits", "add", "nobody", "1")).rejects.toThrow("Cannot find team 'nobody'.");
  });
});

describe("hearth credits limit", () => {
  it("sets and clears the monthly limits of a team and shows the hard one next to the spending", async () => {
    const { run, json, database } = await createEnvironment();
    await run("credits", "limit", "ops", "--hard", "20", "--soft", "12.5");
    const spent = { id: "run-1", teamId: "team-one-1", costTicks: 15_000, startTime: Date.UTC(2026, 10, 1) };
    await createRunStore(database).insert(aRun({ ...spent, state: "completed", endTime: 6000 }), []);
    const before = { id: "run-2", teamId: "team-one-1", costTicks: 99, startTime: Date.UTC(2026, 10, 1) - 1 };
    await createRunStore(database).insert(aRun({ ...before, state: "completed", endTime: 6000 }), []);
    expect(await run("credits", "show", "ops")).toMatch(/0\.0000015 +20\.00\n$/);
    const shown = { monthUsd: "0.0000015", hardLimitUsd: "20.00", softLimitUsd: null };
    expect(await json("credits", "limit", "ops", "--soft", "none")).toMatchObject([shown]);
    expect(await json("credits", "limit", "ops")).toMatchObject([shown]);
    const [cleared, set] = await json<readonly object[]>("audit");
    expect(set).toMatchObject({ act: "SetSpendingLimit", before: { hardUsd: null, softUsd: null } });
    expect(cleared).toMatchObject({
      actor: "cli",
      objectId: "team-one-1",
      description: "Set the monthly spending limits of the team 'ops'",
      before: { hardUsd: "20.00", softUsd: "12.50" },
      after: { hardUsd: "20.00", softUsd: null },
    });
  });

  it.each([
    ["--hard", "much", "hard must be an amount of USD such as 12.50."],
    ["--soft", "-1", "soft must not be negative."],
  ])("exits with code 2 for %s %s", async (option, amount, message) => {
    const { run } = await createEnvironment();
    await expect(run("credits", "limit", "ops", `${option}=${amount}`)).rejects.toMatchObject({
      exitCode: 2,
      message: `error: ${message}`,
    });
  });
});

describe("hearth ledger verify", () => {
  it("fails and reports the differences if the ledger does not balance", async () => {
    const { run, database, printed } = await createEnvironment();
    await run("credits", "add", "ops", "1");
    await database.kysely.updateTable("ledgerBalances").set({ balanceTicks: 7 }).execute();
    await expect(run("ledger", "verify")).rejects.toThrow("the ledger does not balance");
    expect(printed()).toContain("the account credit of team team-one-1 has the balance 7");
    await expect(run("ledger", "verify", "--json")).rejects.toThrow("the ledger does not balance");
    expect(JSON.parse(printed())).toMatchObject({ balanced: false, problems: { length: 2 } });
  });
});
