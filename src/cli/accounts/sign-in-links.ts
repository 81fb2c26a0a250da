/** `hearth members sign-in-link` and `reset`: print links with which a member signs in to the console and chooses a password. */
import type { Command } from "commander";
import { formatJson } from "../table.js";
import type { AccountsIo, UsingOperator } from "../command-helpers.js";

interface Options {
  readonly json?: true;
}

/** Adds both commands to `members`. */
export function addSignInLinkCommands(members: Command, using: UsingOperator, { out }: AccountsIo): void {
  const print = async (request: object, { json }: Options): Promise<void> => {
    const { link } = await using((api) =>
      api.request<{ link: string }>("POST", "/operator/sign-in-links", request),
    );
    const text = `${link}\n\nIt works once, within 24 hours.\n`;
    out.write(json === true ? formatJson({ link }) : text);
  };
  members
    .command("sign-in-link")
    .description("print a link with which a member signs in to the console once")
    .argument("[member]", "ID or e-mail; without it, the first owner of the server")
    .option("--json", "print one JSON object")
    .action((member: string | undefined, options: Options) => print({ member }, options));
  members
    .command("reset")
    .description("remove the password of a member, end their sessions and print a sign-in link")
    .argument("<member>", "ID or e-mail")
    .option("--json", "print one JSON object")
    .action((member: string, options: Options) => print({ member, reset: true }, options));
}
