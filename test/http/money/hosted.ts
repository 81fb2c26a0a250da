/** A server whose only model with a price is on a double of a hosted server, and its books. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createBudgetStore } from "../../../src/accounts/budgets/store.js";
import { noBudget, type BudgetLimits } from "../../../src/accounts/budgets/budget.js";
import type { BillingMode } from "../../../src/accounts/principals/team.js";
import { createWrites } from "../../../src/store/writes.js";
import { startChatDouble, type ChatDouble } from "../../kit/doubles/engines/openai.js";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestServer, startServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";
import { openLedger, type LedgerAccess } from "../../kit/ledger.js";

const model = "far-model";
/** In ticks a token: 2 and 8 USD for a million. */
export const prices = { prompt: 20_000, completion: 80_000 } as const;
const contextTokens = 4_096;

export interface HostedServer extends TestServer, LedgerAccess {
  readonly double: ChatDouble;
  /** Sets a budget of the whole time for the key of the tests. */
  limit(budget: Partial<BudgetLimits>): Promise<void>;
  /** Returns what is spent of it. */
  spent(): Promise<{ readonly ticks: bigint; readonly tokens: number; readonly reserved: number }>;
}

export async function startHosted(billing: BillingMode, environment = {}): Promise<HostedServer> {
  const double = await startChatDouble();
  const folder = temporaryFolder();
  const [data, file] = [join(folder, "data"), join(folder, "hearth.yaml")];
  writeFileSync(file, `models: { ${model}: { prices: { prompt: 2, completion: 8 } } }\n`);
  const models = [{ id: model, name: "other", contextTokens }];
  const engines = JSON.stringify([{ kind: "openai", url: double.url, apiKey: "sk-of-the-host", models }]);
  const app = await startServer({
    environment: {
      HEARTH_ENGINES: engines,
      HEARTH_CONFIG: file,
      HEARTH_DATA: data,
      ...environment,
    },
  });
  const access = await openLedger(data, billing);
  const { kysely } = access.database;
  const { id: subjectId } = await kysely.selectFrom("apiKeys").select("id").executeTakeFirstOrThrow();
  return {
    ...app,
    ...access,
    double,
    async limit(budget) {
      const name = { teamId: access.teamId, subject: "key", subjectId, period: "total" } as const;
      const insertions = createBudgetStore(access.database).insertions({
        ...noBudget,
        ...budget,
        ...name,
        createTime: 1,
      });
      await createWrites(access.database).commit([...insertions]);
    },
    async spent() {
      const row = await kysely.selectFrom("budgetPeriods").selectAll().executeTakeFirst();
      const { spentTicks = 0, spentTokens = 0, reservedTicks = 0 } = row ?? {};
      return { ticks: BigInt(spentTicks), tokens: spentTokens, reserved: reservedTicks };
    },
  };
}

const messages = [{ role: "user", content: "Hello" }];

/** A request of each route that a model on a hosted server answers. */
export const routes = {
  "/v1/chat/completions": { model, messages, max_tokens: 8 },
  "/v1/responses": { model, input: "Hello", max_output_tokens: 8 },
  "/v1/messages": { model, messages, max_tokens: 8 },
  "/api/chat": { model, messages, stream: false, options: { num_predict: 8 } },
} as const;

export type Path = keyof typeof routes;

export function send(server: TestServer, path: Path, more: object = {}): Promise<Response> {
  return fetch(server.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${testKey}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify({ ...routes[path], ...more }),
  });
}

/** Expects that every run is within what was reserved for it, and that the books balance. */
export async function expectBounded({ database, ledger }: LedgerAccess): Promise<void> {
  const runs = await database.kysely.selectFrom("runs").selectAll().execute();
  for (const run of runs) {
    expect(run.state).not.toBe("running");
    expect(run.costTicks).toBeLessThanOrEqual(run.boundTicks ?? 0);
    const tokens = run.promptTokens + run.completionTokens + run.reasoningTokens;
    expect(tokens).toBeLessThanOrEqual(run.boundTokens ?? 0);
  }
  expect(await ledger.verify()).toEqual([]);
}
