/** `hearth members sign-in-link` and `reset`: print links with which a member signs in to the console and chooses a password. */
import type { Command } from "commander";
import type { OpenAccounts } from "../../app/app.js";
import { formatJson } from "../table.js";
import type { AccountsIo, UsingAccounts } from "../command-helpers.js";

interface Options {
  readonly json?: true;
}

/** Adds both commands to `members`. */
export function addSignInLinkCommands(members: Command, using: UsingAccounts, { out }: AccountsIo): void {
  const print = (secret: string, { serverUrl }: OpenAccounts, { json }: Options): void => {
    const link = `${serverUrl}/console#link=${secret}`;
    const text = `${link}\n\nIt works once, within 24 hours.\n`;
    out.write(json === true ? formatJson({ link }) : text);
  };
  members
    .command("sign-in-link")
    .description("print a link with which a member signs in to the console once")
    .argument("[member]", "ID or e-mail; without it, the first owner of the server")
    .option("--json", "print one JSON object")
    .action(async (reference: string | undefined, options: Options) =>
      using(async (accounts) => {
        const { members: all, signInLinks, actor } = accounts;
        const member = reference === undefined ? null : await all.resolve(reference);
        print(await signInLinks.create(member, actor), accounts, options);
      }),
    );
  members
    .command("reset")
    .description("remove the password of a member, end their sessions and print a sign-in link")
    .argument("<member>", "ID or e-mail")
    .option("--json", "print one JSON object")
    .action(async (reference: string, options: Options) =>
      using(async (accounts) => {
        const { members: all, signInLinks, actor } = accounts;
        print(await signInLinks.reset(await all.resolve(reference), actor), accounts, options);
      }),
    );
}
