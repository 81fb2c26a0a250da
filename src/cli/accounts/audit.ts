/** `hearth audit`: lists the changes of keys, teams and members, and who made them. */
import { InvalidArgumentError, type Command } from "commander";
import type { WireAuditEvent } from "../../http/management/audit-events.js";
import { formatJson, formatTable } from "../table.js";
import type { AccountsIo, UsingOperator } from "../command-helpers.js";

const eventsMax = 10_000;

/** Adds the command. */
export function addAuditCommand(program: Command, using: UsingOperator, { out }: AccountsIo): void {
  program
    .command("audit")
    .description("list changes of keys, teams and members, the newest first")
    .option("--limit <n>", "maximum number of events", limitArgument, 50)
    .option("--json", "print one JSON array, including the values before and after each change")
    .action(async ({ limit, json }: { limit: number; json?: true }) => {
      const { events } = await using((api) =>
        api.get<{ events: readonly WireAuditEvent[] }>("/operator/audit-events", { limit }),
      );
      out.write(json === true ? formatJson(events) : toTable(events));
    });
}

function limitArgument(written: string): number {
  const limit = /^\d{1,5}$/.test(written) ? Number(written) : 0;
  if (limit < 1 || limit > eventsMax)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${eventsMax}.`);
  return limit;
}

function toTable(events: readonly WireAuditEvent[]): string {
  const rows = events.map(({ eventTime, user, actor, description, objectId }) => [
    eventTime,
    user.email ?? actor,
    description,
    objectId,
  ]);
  return formatTable(["TIME", "ACTOR", "EVENT", "OBJECT"], rows);
}
