/** `hearth audit`: lists the changes of keys, teams and members, and who made them. */
import { InvalidArgumentError, type Command } from "commander";
import type { WireAuditEvent } from "../../http/management/audit-events.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import type { TableColumn } from "../table.js";
import type { AccountsIo, UsingOperator } from "../command-helpers.js";

const eventsMax = 10_000;

/** Adds the command. */
export function addAuditCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const audit = program
    .command("audit")
    .description("list changes of keys, teams and members, the newest first")
    .option("--limit <n>", "maximum number of events", limitArgument, 50);
  withListing(audit, "print one JSON array, including the values before and after each change").action(
    async ({ limit, ...options }: ListingOptions & { limit: number }) => {
      const { events } = await using((api) =>
        api.get<{ events: readonly WireAuditEvent[] }>("/operator/audit-events", { limit }),
      );
      printListing(io, options, {
        items: events,
        columns,
        empty:
          "Nothing was changed yet. Changes of keys, teams and members come here, such as `hearth keys create`.",
      });
    },
  );
}

function limitArgument(written: string): number {
  const limit = /^\d{1,5}$/.test(written) ? Number(written) : 0;
  if (limit < 1 || limit > eventsMax)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${eventsMax}.`);
  return limit;
}

const columns: readonly TableColumn<WireAuditEvent>[] = [
  { title: "TIME", cell: ({ eventTime }) => eventTime, kind: "time" },
  { title: "ACTOR", cell: ({ user, actor }) => user.email ?? actor, charsMin: 8 },
  { title: "EVENT", cell: ({ description }) => description, charsMin: 16 },
  { title: "OBJECT", cell: ({ objectId }) => objectId, kind: "id", charsMin: 13, leftOut: 1 },
];
