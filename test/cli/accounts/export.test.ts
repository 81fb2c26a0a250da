import { expect, it } from "vitest";
import { createCommandEnvironment } from "./accounts.js";

it("hearth export prints the audit log of a team as CSV, or as JSON lines", async () => {
  const { hearth } = await createCommandEnvironment();
  await hearth("teams", "create", "ada");
  await hearth("teams", "create", "bob");
  await hearth("credits", "add", "bob", "2.5");
  const csv = await hearth("export", "audit", "--team", "bob");
  expect(csv.split("\r\n").map((line) => line.split(",")[6])).toEqual([
    "act",
    "CreateTeam",
    "PurchaseCredit",
    undefined,
  ]);
  const lines = (await hearth("export", "ledger", "--format", "jsonl")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { teamName: "bob", kind: "purchase", account: "credit", amountUsd: "2.50" },
    { teamName: "bob", kind: "purchase", account: "purchases", amountUsd: "-2.50" },
  ]);
  expect(await hearth("export", "usage")).toMatch(/^hour,team_id,[\w,]+\r\n$/);
});

it("hearth export refuses what it does not know, and a time that ends before it starts, as wrong usage", async () => {
  const { hearth } = await createCommandEnvironment();
  await expect(hearth("export", "prompts")).rejects.toThrow(/Allowed choices are usage, ledger, audit/);
  await expect(hearth("export", "usage", "--since", "monday")).rejects.toThrow(/must be like 2026-11-21/);
  const backwards = ["--since", "2026-11-22", "--until", "2026-11-21"];
  await expect(hearth("export", "usage", ...backwards)).rejects.toMatchObject({ exitCode: 2 });
});
