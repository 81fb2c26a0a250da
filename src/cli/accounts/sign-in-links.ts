/** `hearth members sign-in-link` and `reset`: print links with which a member signs in to the console and chooses a password. */
import { printMade, type MadeOptions } from "../made.js";
import type { Command } from "commander";
import type { AccountsIo, UsingOperator } from "../command-helpers.js";

/** Adds both commands to `members`. */
export function addSignInLinkCommands(members: Command, using: UsingOperator, { out }: AccountsIo): void {
  const print = async (request: object, options: MadeOptions): Promise<void> => {
    const { link } = await using((api) =>
      api.request<{ link: string }>("POST", "/operator/sign-in-links", request),
    );
    const text = `${link}\n\nIt works once, within 24 hours.\n`;
    printMade(out, options, { value: { link }, text, bare: link });
  };
  members
    .command("sign-in-link")
    .description("print a link with which a member signs in to the console once")
    .argument("[member]", "ID or e-mail; without it, the first owner of the server")
    .option("--json", "print one JSON object")
    .action((member: string | undefined, options: MadeOptions) => print({ member }, options));
  members
    .command("reset")
    .description("remove the password of a member, end their sessions and print a sign-in link")
    .argument("<member>", "ID or e-mail")
    .option("--json", "print one JSON object")
    .action((member: string, options: MadeOptions) => print({ member, reset: true }, options));
}
