/** A server with the scripted engine, and a second connection to its ledger, as `hearth credits` and `hearth ledger` open. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { creditTransaction, type Balances } from "../../src/accounts/money/ledger.js";
import type { RunStore } from "../../src/inference/run/store/runs.js";
import type { BillingMode } from "../../src/accounts/principals/team.js";
import { createScriptedEngine, type Script, type ScriptedOptions } from "./scripted/engine.js";
import type { Overrides } from "../../src/app/app.js";
import type { Database } from "../../src/store/database.js";
import { createLedgerStore, type LedgerStore } from "../../src/accounts/money/store/ledger.js";
import { createRunStore } from "../../src/inference/run/store/runs.js";
import { openAgain } from "./databases/new-database.js";
import { temporaryFolder } from "./folder.js";
import { type TestServer, startServer } from "./server.js";
import { testKey, writeModelSettings } from "./server/settings.js";

/** Prices of the built-in model. */
export const prices = { prompt: 100, cached: 25, completion: 400 } as const;

export interface LedgerAccess {
  readonly database: Database;
  readonly ledger: LedgerStore;
  readonly runs: RunStore;
  readonly teamId: string;
  buy(ticks: number): Promise<void>;
  balances(): Promise<Balances>;
  /** Returns the kind of every transaction and the ticks of its entries by account, in order. */
  transactions(): Promise<readonly (readonly [kind: string, entries: Readonly<Record<string, number>>])[]>;
}

export interface LedgerServer extends TestServer, LedgerAccess {
  readonly data: string;
}

export interface LedgerServerOptions
  extends ScriptedOptions, Pick<Overrides, "clock" | "embeddingEngine" | "imageEngine"> {
  /** Settings of models by id. */
  readonly settings?: Readonly<Record<string, object>>;
  /** HEARTH_* variables. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** Starts a server with one team of this billing mode. */
export async function startLedgerServer(
  billing: BillingMode,
  script: Script,
  { settings = {}, environment: given = {}, ...options }: LedgerServerOptions = {},
): Promise<LedgerServer> {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  const environment = { ...given, HEARTH_DATA: data, HEARTH_CONFIG: writeModelSettings(folder, settings) };
  const server = await startServer({
    environment: { ...environment, HEARTH_SHUTDOWN_GRACE_MS: "0" },
    ...options,
    engine: createScriptedEngine(script, options),
  });
  return { ...server, ...(await openLedger(data, billing)), data };
}

/** Opens the ledger of a data folder with one team, and sets the team's billing mode. */
export async function openLedger(data: string, billing: BillingMode): Promise<LedgerAccess> {
  const database = await openAgain(join(data, "hearth.db"));
  onTestFinished(() => database.close());
  const { kysely } = database;
  const { id: teamId } = await kysely.selectFrom("teams").select("id").executeTakeFirstOrThrow();
  await kysely.updateTable("teams").set({ billing }).execute();
  const ledger = createLedgerStore(database);
  return {
    database,
    ledger,
    runs: createRunStore(database),
    teamId,
    buy: (ticks) => ledger.post(creditTransaction("purchase", { teamId, ticks, note: null }, 1)),
    async balances() {
      const all = await ledger.balances();
      return all.get(teamId) ?? noBalances;
    },
    async transactions() {
      const rows = await kysely
        .selectFrom("ledgerTransactions")
        .innerJoin("ledgerEntries", "transactionId", "id")
        .select(["id", "kind", "account", "amountTicks"])
        .orderBy("id")
        .execute();
      const byId = new Map<number, [string, Record<string, number>]>();
      for (const { id, kind, account, amountTicks: ticks } of rows)
        byId.set(id, [kind, { ...byId.get(id)?.[1], [account]: ticks }]);
      return [...byId.values()];
    },
  };
}

const noBalances: Balances = {
  credit: 0n,
  reserved: 0n,
  owed: 0n,
  revenue: 0n,
  purchases: 0n,
  adjustments: 0n,
};

export const authorization = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };

/** Three prompt tokens and at most eight output tokens. */
export const completionRequest = {
  model: "hearth-tiny-5m",
  prompt: "one two three",
  max_tokens: 8,
};

/** The maximum cost of `completionRequest`. */
export const maxCostTicks = 3 * prices.prompt + 8 * prices.completion;

export function complete({ url }: TestServer, more: object = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/v1/completions`, {
    method: "POST",
    headers: authorization,
    body: JSON.stringify({ ...completionRequest, ...more }),
    ...init,
  });
}
