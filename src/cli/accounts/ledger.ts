/** `hearth ledger verify`: recomputes the ledger of the data folder, with or without a running server. */
import { createInterface } from "node:readline";
import type { Command } from "commander";
import type { Progress } from "../../core/report/progress.js";
import type { OperatorClient } from "../operator.js";
import { createProgressWriter } from "../progress.js";
import type { TextOut } from "../terminal.js";
import { formatJson } from "../table.js";
import type { AccountsIo, UsingOperator } from "../command-helpers.js";

interface LedgerIo extends AccountsIo {
  readonly err: TextOut;
}

/** Adds the command; it fails if the ledger does not balance. */
export function addLedgerCommand(
  program: Command,
  using: UsingOperator,
  { out, err, clock }: LedgerIo,
): void {
  const ledger = program.command("ledger").description("check the ledger");
  ledger
    .command("verify")
    .description("recompute every balance, cost, charge and sum of usage, and report differences")
    .option("--json", "print one JSON object")
    .option("-q, --quiet", "print nothing but errors")
    .action(async ({ json, quiet = false }: { json?: true; quiet?: boolean }) => {
      const line = createProgressWriter(err, { isQuiet: quiet, clock });
      const problems = await using((api) => verify(api, line.show)).finally(line.clear);
      const isBalanced = problems.length === 0;
      if (json === true) out.write(formatJson({ balanced: isBalanced, problems }));
      else if (!isBalanced) out.write(`${problems.join("\n")}\n`);
      else if (!quiet) out.write("The ledger balances.\n");
      if (!isBalanced)
        throw new Error(
          "the ledger does not balance; nothing was changed, and `hearth backup FILE --unbalanced` keeps a copy",
        );
    });
}

interface Line {
  readonly progress?: Progress;
  readonly problems?: readonly string[];
}

/** @throws Error when the server breaks the check off. */
async function verify(api: OperatorClient, show: (progress: Progress) => void): Promise<readonly string[]> {
  const lines = createInterface({ input: await api.open("GET", "/operator/ledger-check") });
  for await (const text of lines) {
    const { progress, problems } = JSON.parse(text) as Line;
    if (problems !== undefined) return problems;
    if (progress !== undefined) show(progress);
  }
  throw new Error(
    "the server ended before it had checked the ledger; `hearth ledger verify` checks it again",
  );
}
