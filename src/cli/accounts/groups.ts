/** `hearth groups`: creates, lists, changes and deletes access groups, which are named lists of ACLs. */
import type { Command } from "commander";
import type { WireAccessGroup } from "../../http/management/access-groups.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import { formatJson, type TableColumn } from "../table.js";
import {
  collect,
  forEachReference,
  formatAge,
  reportInvalidValues,
  type AccountsIo,
  type UsingOperator,
} from "../command-helpers.js";

const path = "/auth/access-groups";

interface Options {
  readonly acl?: readonly string[];
  readonly description?: string;
  readonly json?: true;
}

const aclHelp = "permission, such as api-key:endpoint:chat or api-key:model:NAME; may be repeated";

/** Adds `groups` and its subcommands. */
export function addGroupsCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const groups = program
    .command("groups")
    .description("create, list, change and delete access groups: named lists of permissions");
  addSavingCommands(groups, using, io);
  withListing(groups.command("ls").alias("list"))
    .description("list the access groups")
    .action(async (options: ListingOptions) => {
      const { accessGroups } = await using((api) =>
        api.get<{ accessGroups: readonly WireAccessGroup[] }>(path),
      );
      printListing(io, options, {
        items: accessGroups,
        columns: listColumns(io.clock.now()),
        empty: "No access groups. Make one: hearth groups create NAME --acl api-key:endpoint:chat",
      });
    });
  groups
    .command("rm")
    .alias("delete")
    .description("delete access groups that no key and no team has")
    .argument("<name...>", "names of access groups")
    .action((names: readonly string[]) =>
      using((api) =>
        forEachReference(names, async (name) => {
          await api.request("DELETE", pathTo(name));
          io.out.write(`removed the access group ${name}\n`);
        }),
      ),
    );
}

function addSavingCommands(groups: Command, using: UsingOperator, io: AccountsIo): void {
  groups
    .command("create")
    .description("create an access group; keys and teams get it by the permission api-key:group:NAME")
    .argument("<name>", "1 to 64 letters, digits, dots, hyphens and underscores")
    .option("--acl <acl>", aclHelp, collect)
    .option("--description <text>", "what it is for")
    .option("--json", "print one JSON object")
    .action(async (name: string, { acl = [], description = "", json }: Options, command: Command) => {
      const create = () =>
        using((api) => api.request<WireAccessGroup>("POST", path, { name, description, acls: acl }));
      const created = await reportInvalidValues(command, create);
      const next = `Give it to keys: hearth keys update KEY --acl api-key:group:${name}`;
      io.out.write(json === true ? formatJson(created) : `created the access group ${name}\n${next}\n`);
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
      const request = { accessGroup: { acls: acl, description } };
      const update = () => using((api) => api.request<WireAccessGroup>("PUT", pathTo(name), request));
      const changed = await reportInvalidValues(command, update);
      io.out.write(json === true ? formatJson(changed) : `changed the access group ${changed.name}\n`);
    });
}

function pathTo(name: string): string {
  return `${path}/${encodeURIComponent(name)}`;
}

function listColumns(now: number): readonly TableColumn<WireAccessGroup>[] {
  return [
    { title: "NAME", cell: ({ name }) => name, charsMin: 16 },
    {
      title: "PERMISSIONS",
      cell: ({ acls }) => acls.map((acl) => acl.replace("api-key:", "")).join(" "),
      charsMin: 16,
    },
    { title: "CHANGED", cell: ({ modifyTime }) => formatAge(modifyTime, now), leftOut: 1 },
    { title: "DESCRIPTION", cell: ({ description }) => description, charsMin: 12, leftOut: 2 },
  ];
}
