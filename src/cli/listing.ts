/** What every listing has in common: its options, its table, and what an empty one says. */
import type { Command } from "commander";
import { formatJson, formatTable, tableWidth, type TableColumn } from "./table.js";
import type { TextOut } from "./terminal.js";

/** Where a command prints. */
export interface Printed {
  readonly out: TextOut;
  readonly err: TextOut;
}

export interface ListingOptions {
  readonly wide?: true;
  readonly json?: true;
  readonly quiet?: true;
}

interface Listing<Item> {
  readonly items: readonly Item[];
  readonly columns: readonly TableColumn<Item>[];
  /** The value for `--json`; absent: the items. */
  readonly json?: () => unknown;
  /** What an empty list says: that there is nothing, and the command that makes the first one. */
  readonly empty: string;
  /** Lines below the table. */
  readonly notes?: readonly string[];
}

/** Adds the options of a listing. @param json what `--json` prints */
export function withListing(command: Command, json = "print one JSON array"): Command {
  return command
    .option("--wide", "print all columns in full, however wide the terminal is")
    .option("--json", json);
}

/** Prints a list. What is no terminal gets the header of an empty one, as programs that read tables expect. */
export function printListing<Item>(
  { out, err }: Printed,
  options: ListingOptions,
  { items, columns, json = () => items, empty, notes = [] }: Listing<Item>,
): void {
  if (options.json === true) return void out.write(formatJson(json()));
  if (items.length > 0) out.write(formatTable(columns, items, tableWidth(out, options.wide === true)));
  else if (out.isTTY === true && options.quiet !== true) out.write(`${empty}\n`);
  else {
    out.write(formatTable(columns, []));
    if (options.quiet !== true) err.write(`${empty}\n`);
  }
  if (options.quiet === true) return;
  for (const note of notes) out.write(`${note}\n`);
}
