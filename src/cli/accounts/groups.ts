/** `hearth groups`: creates, lists, changes and deletes access groups, which are named lists of ACLs. */
import type { Command } from "commander";
import type { AccessGroup } from "../../accounts/groups/access-group.js";
import type { AccessGroupChange } from "../../accounts/groups/access-groups.js";
import { formatJson, formatTable } from "../table.js";
import {
  collect,
  forEachReference,
  reportInvalidValues,
  type AccountsIo,
  type UsingAccounts,
} from "../command-helpers.js";
import { ago } from "../duration.js";

interface Options {
  readonly acl?: readonly string[];
  readonly description?: string;
  readonly json?: true;
}

const aclHelp = "permission, such as api-key:endpoint:chat or api-key:model:NAME; may be repeated";

/** Adds `groups` and its subcommands. */
export function addGroupsCommand(program: Command, using: UsingAccounts, io: AccountsIo): void {
  const groups = program
    .command("groups")
    .description("create, list, change and delete access groups: named lists of permissions");
  addSavingCommands(groups, using, io);
  groups
    .command("ls")
    .alias("list")
    .description("list the access groups")
    .option("--json", "print one JSON array")
    .action(async ({ json }: Options) => {
      const all = await using(({ accessGroups }) => accessGroups.list());
      io.out.write(json === true ? formatJson(all.map(toJson)) : toTable(all, io.clock.now()));
    });
  groups
    .command("rm")
    .alias("delete")
    .description("delete access groups that no key and no team has")
    .argument("<name...>", "names of access groups")
    .action((names: readonly string[]) =>
      using(({ accessGroups, actor }) =>
        forEachReference(names, async (name) => {
          await accessGroups.remove(name, actor);
          io.out.write(`${name}\n`);
        }),
      ),
    );
}

function addSavingCommands(groups: Command, using: UsingAccounts, io: AccountsIo): void {
  groups
    .command("create")
    .description("create an access group; keys and teams get it by the permission api-key:group:NAME")
    .argument("<name>", "1 to 64 letters, digits, dots, hyphens and underscores")
    .option("--acl <acl>", aclHelp, collect)
    .option("--description <text>", "what it is for")
    .option("--json", "print one JSON object")
    .action(async (name: string, { acl = [], description = "", json }: Options, command: Command) => {
      const create = () =>
        using(({ accessGroups, actor }) => accessGroups.create({ name, description, acls: acl }, actor));
      print(await reportInvalidValues(command, create), json, io);
    });
  groups
    .command("set")
    .description("change an access group; the change takes effect at the next request")
    .argument("<name>", "name of an access group")
    .option("--acl <acl>", `${aclHelp}; replaces all that it has`, collect)
    .option("--description <text>", "what it is for")
    .option("--json", "print one JSON object")
    .action(async (name: string, { acl, description, json }: Options, command: Command) => {
      if (acl === undefined && description === undefined)
        command.error("error: nothing to change: give --acl or --description", { exitCode: 2 });
      const change: AccessGroupChange = {
        ...(acl === undefined ? {} : { acls: acl }),
        ...(description === undefined ? {} : { description }),
      };
      const update = () => using(({ accessGroups, actor }) => accessGroups.update(name, change, actor));
      print(await reportInvalidValues(command, update), json, io);
    });
}

function print(group: AccessGroup, json: true | undefined, { out }: AccountsIo): void {
  out.write(json === true ? formatJson(toJson(group)) : `${group.name}\n`);
}

/** The fields of the management API. */
function toJson({ name, description, acls, createTime, modifyTime }: AccessGroup) {
  return {
    name,
    acl: `api-key:group:${name}`,
    description,
    acls,
    createTime: new Date(createTime).toISOString(),
    modifyTime: new Date(modifyTime).toISOString(),
  };
}

function toTable(all: readonly AccessGroup[], now: number): string {
  const rows = all.map(({ name, acls, modifyTime, description }) => [
    name,
    acls.map((acl) => acl.replace("api-key:", "")).join(" "),
    ago(now - modifyTime),
    description,
  ]);
  return formatTable(["NAME", "PERMISSIONS", "CHANGED", "DESCRIPTION"], rows);
}
