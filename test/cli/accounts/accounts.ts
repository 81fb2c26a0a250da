/** Runs account commands on a real, empty database. */
import { Command } from "commander";
import { expect } from "vitest";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { createAuthenticator } from "../../../src/accounts/authentication/authenticate-key.js";
import { createManagerAuthenticator } from "../../../src/accounts/authentication/authenticate-manager.js";
import { addAccountCommands } from "../../../src/cli/accounts/accounts.js";
import { emptyAccounts } from "../../accounts/accounts.js";

/** Creates an environment for commands. What a test opens is closed after it. */
export async function createCommandEnvironment() {
  const empty = await emptyAccounts();
  const [authenticator, managers] = [createAuthenticator(empty), createManagerAuthenticator(empty)];
  let [closed, opened] = [0, 0];
  const open = () => {
    opened += 1;
    const { service: keys, teamService: teams, managementKeyService: managementKeys } = empty;
    const { creditService: credits, memberService: members, ledger, auditLog } = empty;
    const { teamLimitService: teamLimits } = empty;
    const close = () => Promise.resolve(void (closed += 1));
    return Promise.resolve({
      keys,
      teams,
      members,
      signInLinks: empty.signInLinks,
      teamLimits,
      accessGroups: empty.accessGroupService,
      managementKeys,
      credits,
      spending: empty.spendingService,
      budgets: empty.budgetService,
      usage: empty.usageReports,
      hostedPrices: empty.hostedPriceService,
      modelNames: () => Promise.resolve([{ id: "small", aliases: ["hosted-mini", "hosted-max"] }]),
      exports: empty.exports,
      ledger,
      auditLog,
      serverUrl: "http://127.0.0.1:4280",
      actor: cliActor,
      close,
    });
  };
  let printed = "";
  /** Runs `hearth` with these arguments and returns its output. */
  const hearth = async (...words: string[]): Promise<string> => {
    printed = "";
    const program = new Command("hearth").exitOverride().configureOutput({ writeErr: () => undefined });
    addAccountCommands(program, open, {
      clock: empty.clock,
      err: { write: () => true },
      out: { write: (text) => (printed += text) },
    });
    try {
      await program.parseAsync(words, { from: "user" });
    } finally {
      expect(closed).toBe(opened);
    }
    return printed;
  };
  return {
    ...empty,
    authenticate: (secret: string | null) => authenticator.authenticate(secret, "127.0.0.1"),
    authenticateManager: (secret: string | null) => managers.authenticate(secret, "127.0.0.1"),
    hearth,
    /** The output of the last command, even if it failed. */
    printed: () => printed,
    /** Runs `hearth` with these arguments and returns its output as JSON. */
    json: async <Value>(...words: string[]): Promise<Value> =>
      JSON.parse(await hearth(...words, "--json")) as Value,
  };
}
