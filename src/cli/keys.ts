/** `hearth keys`: makes, lists and removes API keys, beside a running server or without one. */
import type { Command } from "commander";
import type { CreatedKey, KeyService } from "../accounts/keys.js";
import type { ApiKey, Principal } from "../core/api-key.js";
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import { ago } from "./span.js";
import { formatJson, formatTable } from "./table.js";

export interface OpenKeys {
  readonly service: KeyService;
  close(): Promise<void>;
}

export interface KeysIo {
  readonly clock: Clock;
  readonly out: { write(text: string): unknown };
}

/**
 * Adds `keys create`, `keys ls` and `keys rm`.
 * @param open opens the keys of the configured data folder, for one command.
 */
export function addKeysCommand(program: Command, open: () => Promise<OpenKeys>, io: KeysIo): void {
  const keys = program.command("keys").description("make, list and remove API keys");
  const using = usingKeys(open);
  keys
    .command("create")
    .description("make an API key and print its secret, this once")
    .option("--name <name>", "what to call it", "unnamed")
    .option("--json", "print one JSON object")
    .action(async ({ name, json }: { name: string; json?: true }, command: Command) => {
      const created = await using((service) => create(service, name, command));
      io.out.write(json === true ? formatJson(createdToJson(created)) : createdToText(created));
    });
  keys
    .command("ls")
    .alias("list")
    .description("list the API keys")
    .option("--json", "print one JSON array")
    .action(async ({ json }: { json?: true }) => {
      const all = await using((service) => service.list());
      io.out.write(json === true ? formatJson(all.map(keyToJson)) : toTable(all, io.clock.now()));
    });
  keys
    .command("rm")
    .description("remove API keys for good")
    .argument("<id...>", "ID or KEY as `hearth keys ls` shows it")
    .action((references: string[]) => using((service) => remove(service, references, io)));
}

function usingKeys(open: () => Promise<OpenKeys>) {
  return async <Result>(action: (service: KeyService) => Promise<Result>): Promise<Result> => {
    const opened = await open();
    try {
      return await action(opened.service);
    } finally {
      await opened.close();
    }
  };
}

async function create(service: KeyService, name: string, command: Command): Promise<CreatedKey> {
  try {
    return await service.create({ teamId: null, name });
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "invalid_value")
      return command.error(`error: ${thrown.message}`, { exitCode: 2 });
    throw thrown;
  }
}

/** One that cannot be removed does not stop the others. */
async function remove(service: KeyService, references: readonly string[], { out }: KeysIo): Promise<void> {
  const refusals: string[] = [];
  for (const reference of references) {
    try {
      const key = await service.remove(reference);
      out.write(`${key.id}\n`);
    } catch (thrown) {
      if (!(thrown instanceof HearthError)) throw thrown;
      refusals.push(thrown.message);
    }
  }
  if (refusals.length > 0) throw new Error(refusals.join("\n"));
}

function createdToText({ key, team, secret }: CreatedKey): string {
  return (
    `API key "${key.name}" of team "${team.name}", ID ${shortId(key)}:\n\n  ${secret}\n\n` +
    "Keep it in a safe place: it is not shown again.\n"
  );
}

/** The fields of the management API, so that a script can read both. */
function keyToJson({ key, team }: Principal) {
  return {
    apiKeyId: key.id,
    name: key.name,
    redactedApiKey: key.redacted,
    teamId: team.id,
    teamName: team.name,
    userId: key.userId,
    createTime: new Date(key.createTime).toISOString(),
    modifyTime: new Date(key.modifyTime).toISOString(),
    ...(key.expireTime === null ? {} : { expireTime: new Date(key.expireTime).toISOString() }),
    disabled: key.disabled,
    blocked: key.blocked,
    aclStrings: key.acls,
  };
}

function createdToJson({ secret, ...created }: CreatedKey) {
  return { ...keyToJson(created), apiKey: secret };
}

function toTable(all: readonly Principal[], now: number): string {
  const head = ["NAME", "ID", "KEY", "TEAM", "CREATED", "STATE"];
  const rows = all.map(({ key, team }) => [
    key.name,
    shortId(key),
    key.redacted,
    team.name,
    ago(now - key.createTime),
    stateOf(key, team.blocked, now),
  ]);
  return formatTable(head, rows);
}

/** An id begins with the millisecond of its making: 12 digits and a dash tell keys apart. */
function shortId(key: ApiKey): string {
  return key.id.slice(0, 13);
}

function stateOf(key: ApiKey, teamBlocked: boolean, now: number): string {
  if (teamBlocked) return "team blocked";
  if (key.blocked) return "blocked";
  if (key.disabled) return "disabled";
  return key.expireTime !== null && key.expireTime <= now ? "expired" : "active";
}
