/** `hearth ledger verify`: recomputes the books of the data folder, beside a running server or without one. */
import type { Command } from "commander";
import { formatJson } from "../table.js";
import type { AccountsIo, UsingAccounts } from "./open-accounts.js";

/** Adds the command; it fails where anything is wrong. */
export function addLedgerCommand(program: Command, using: UsingAccounts, { out }: AccountsIo): void {
  const ledger = program.command("ledger").description("look after the books");
  ledger
    .command("verify")
    .description("recompute every balance, cost, charge and sum of use, and tell what does not agree")
    .option("--json", "print one JSON object")
    .action(async ({ json }: { json?: true }) => {
      const problems = await using((accounts) => accounts.ledger.verify());
      const isBalanced = problems.length === 0;
      if (json === true) out.write(formatJson({ balanced: isBalanced, problems }));
      else out.write(isBalanced ? "The books balance.\n" : `${problems.join("\n")}\n`);
      if (!isBalanced) throw new Error("the books do not balance");
    });
}
