/** `hearth audit`: lists the changes of keys, teams and members, and who made them. */
import { InvalidArgumentError, type Command } from "commander";
import type { AuditEventWithMember } from "../../accounts/audit-log.js";
import { formatJson, formatTable } from "../table.js";
import type { AccountsIo, UsingAccounts } from "../command-helpers.js";

const eventsMax = 10_000;

/** Adds the command. */
export function addAuditCommand(program: Command, using: UsingAccounts, { out }: AccountsIo): void {
  program
    .command("audit")
    .description("list changes of keys, teams and members, the newest first")
    .option("--limit <n>", "maximum number of events", limitArgument, 50)
    .option("--json", "print one JSON array, including the values before and after each change")
    .action(async ({ limit, json }: { limit: number; json?: true }) => {
      const events = await using((accounts) => accounts.auditLog.newest(limit));
      out.write(json === true ? formatJson(events.map(eventToJson)) : toTable(events));
    });
}

function limitArgument(written: string): number {
  const limit = /^\d{1,5}$/.test(written) ? Number(written) : 0;
  if (limit < 1 || limit > eventsMax)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${eventsMax}.`);
  return limit;
}

/** The fields of the management API. */
function eventToJson({ member, ...event }: AuditEventWithMember) {
  const { email, givenName, familyName } = member ?? {};
  return {
    eventTime: new Date(event.time).toISOString(),
    eventId: event.id,
    description: event.description,
    user: { userId: event.userId, email, givenName, familyName },
    actor: event.actor,
    ...(event.teamId === null ? {} : { teamId: event.teamId }),
    act: event.action,
    objectId: event.objectId,
    ...(event.before === null ? {} : { before: event.before }),
    ...(event.after === null ? {} : { after: event.after }),
  };
}

function toTable(events: readonly AuditEventWithMember[]): string {
  const rows = events.map((event) => [
    new Date(event.time).toISOString(),
    event.member?.email ?? event.actor,
    event.description,
    event.objectId,
  ]);
  return formatTable(["TIME", "ACTOR", "EVENT", "OBJECT"], rows);
}
