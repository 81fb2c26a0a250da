/** `hearth ledger verify`: recomputes the ledger of the data folder, with or without a running server. */
import type { Command } from "commander";
import { progressLine } from "../backup/progress.js";
import type { TextOut } from "../terminal.js";
import { formatJson } from "../table.js";
import type { AccountsIo, UsingAccounts } from "../command-helpers.js";

type LedgerIo = Pick<AccountsIo, "out"> & { readonly err: TextOut };

/** Adds the command; it fails if the ledger does not balance. */
export function addLedgerCommand(program: Command, using: UsingAccounts, { out, err }: LedgerIo): void {
  const ledger = program.command("ledger").description("check the ledger");
  ledger
    .command("verify")
    .description("recompute every balance, cost, charge and sum of usage, and report differences")
    .option("--json", "print one JSON object")
    .action(async ({ json }: { json?: true }) => {
      const line = progressLine(err);
      const problems = await using((accounts) => accounts.ledger.verify(line.show)).finally(line.clear);
      const isBalanced = problems.length === 0;
      if (json === true) out.write(formatJson({ balanced: isBalanced, problems }));
      else out.write(isBalanced ? "The ledger balances.\n" : `${problems.join("\n")}\n`);
      if (!isBalanced) throw new Error("the ledger does not balance");
    });
}
