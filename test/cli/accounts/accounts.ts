/** Runs account commands on a real, empty database. */
import { Command } from "commander";
import { expect } from "vitest";
import { createAuthenticator } from "../../../src/accounts/authentication/authenticate-key.js";
import { createManagerAuthenticator } from "../../../src/accounts/authentication/authenticate-manager.js";
import { buildAccounts, buildAccountStores } from "../../../src/app/accounts.js";
import { serveInProcess } from "../../../src/app/operator/serve.js";
import { addAccountCommands } from "../../../src/cli/accounts/accounts.js";
import { silentLogger } from "../../../src/core/logger.js";
import { BodyBudget } from "../../../src/core/requests/body-budget.js";
import { accountRoutes } from "../../../src/http/management/operator/routes.js";
import { defaultHttpLimits } from "../../../src/http/server/app-context.js";
import { systemClock, systemRandom } from "../../../src/system/clock.js";
import { loadConfig } from "../../../src/config/config.js";
import { ember } from "../../kit/scripted/ember.js";
import { emptyAccounts } from "../../accounts/accounts.js";

const small = {
  ...ember,
  manifest: { ...ember.manifest, id: "small", aliases: ["hosted-mini", "hosted-max"] },
};

/** Creates an environment for commands. What a test opens is closed after it. */
export async function createCommandEnvironment() {
  const empty = await emptyAccounts();
  const [authenticator, managers] = [createAuthenticator(empty), createManagerAuthenticator(empty)];
  const system = { clock: empty.clock, random: systemRandom, logger: silentLogger };
  const served = serveInProcess(
    {
      ...system,
      accounts: buildAccounts(loadConfig({}).config, { ...buildAccountStores(empty.database), ...system }),
      linkBase: () => "http://127.0.0.1:4280",
      limits: defaultHttpLimits,
      bodyBudget: new BodyBudget(systemClock, defaultHttpLimits.bodyBytesMax),
      readModels: () => Promise.resolve({ find: () => null, list: () => [small] }),
    },
    accountRoutes,
  );
  let [closed, opened] = [0, 0];
  const open = () => {
    opened += 1;
    const close = () => Promise.resolve(void (closed += 1));
    return Promise.resolve({ ...served, close });
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
