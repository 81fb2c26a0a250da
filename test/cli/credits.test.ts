import { describe, expect, it } from "vitest";
import { aTeam } from "../store/records.js";
import { commandWorld } from "./accounts.js";

async function world() {
  const commands = await commandWorld();
  await commands.teams.insert(aTeam({ id: "team-one-1", name: "ops", billing: "prepaid" }));
  await commands.teams.insert(aTeam({ id: "team-one-2", name: "lab" }));
  return { ...commands, run: commands.hearth };
}

describe("hearth credits", () => {
  it("adds, refunds and corrects to the last tick, and shows what is there", async () => {
    const { run } = await world();
    await run("credits", "add", "ops", "12.5000000001", "--note", "invoice 7");
    await run("credits", "refund", "team-one-1", "2.5");
    await run("credits", "adjust", "ops", "--", "-0.0000000001");
    expect(await run("credits", "show")).toBe(
      [
        "NAME   ID           BILLING     CREDIT USD   RESERVED USD   USED USD",
        "ops    team-one-1   prepaid     10.00        0.00           0.00",
        "lab    team-one-2   unmetered   0.00         0.00           0.00",
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
      },
    ]);
    expect(await run("ledger", "verify")).toBe("The books balance.\n");
  });

  it("tells the audit log of every change, in the transaction that makes it", async () => {
    const { run, json } = await world();
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
  ])("ends with code 2 on %j, and writes nothing", async (words, message) => {
    const { run, ledger } = await world();
    await expect(run("credits", ...words)).rejects.toMatchObject({
      exitCode: 2,
      message: `error: ${message}`,
    });
    expect((await ledger.balances()).size).toBe(0);
  });

  it("takes no more away than there is, and says how much that is", async () => {
    const { run, ledger } = await world();
    await run("credits", "add", "ops", "3");
    for (const words of [
      ["refund", "ops", "3.01"],
      ["adjust", "ops", "--", "-3.01"],
    ])
      await expect(run("credits", ...words)).rejects.toThrow(
        "The team 'ops' has 3.00 USD of credit that can be taken away.",
      );
    expect(await ledger.credit("team-one-1")).toBe(30_000_000_000);
  });

  it("changes nothing where no team is meant, or more than one", async () => {
    const { run } = await world();
    await expect(run("credits", "add", "team", "1")).rejects.toThrow("More than one team is called 'team'");
    await expect(run("credits", "add", "nobody", "1")).rejects.toThrow("Cannot find team 'nobody'.");
  });
});

describe("hearth ledger verify", () => {
  it("fails, and tells what is wrong, when the books do not balance", async () => {
    const { run, database, printed } = await world();
    await run("credits", "add", "ops", "1");
    await database.kysely.updateTable("ledger_balances").set({ balance_ticks: 7 }).execute();
    await expect(run("ledger", "verify")).rejects.toThrow("the books do not balance");
    expect(printed()).toContain("the account credit of team team-one-1 is kept as 7");
    await expect(run("ledger", "verify", "--json")).rejects.toThrow("the books do not balance");
    expect(JSON.parse(printed())).toMatchObject({ balanced: false, problems: { length: 2 } });
  });
});
