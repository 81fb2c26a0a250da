/** What a command changes beside a running server holds for the next request, whose clock stands still: nothing waits for time to pass. */
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { openOperator } from "../../../src/app/operator/open.js";
import { addAccountCommands } from "../../../src/cli/accounts/accounts.js";
import { loadConfig } from "../../../src/config/config.js";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { startServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { commandEnvironment } from "./environment.js";

/** @param more HEARTH_* variables */
async function start(more: NodeJS.ProcessEnv = {}) {
  const { gguf, environment, hearth } = commandEnvironment({ ...more, HEARTH_API_KEY: testKey });
  gguf("models/zeta.gguf");
  const clock = createManualClock(Date.UTC(2026, 10, 21, 12));
  const engine = createScriptedEngine(() => ["Good", " day"]);
  const { url, app } = await startServer({ environment, engine, clock });
  /** Runs a command of accounts. @returns its output as JSON */
  const accounts = async (
    ...words: string[]
  ): Promise<{ readonly apiKeyId: string; readonly apiKey: string }> => {
    let printed = "";
    const program = new Command("hearth").exitOverride();
    const open = () => openOperator(loadConfig(environment, null).config);
    addAccountCommands(program, open, {
      clock,
      err: { write: () => true },
      out: { write: (text) => (printed += text) },
    });
    await program.parseAsync([...words, "--json"], { from: "user" });
    return JSON.parse(printed) as { readonly apiKeyId: string; readonly apiKey: string };
  };
  const ask = async (key = testKey, model = "zeta") => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], max_tokens: 8 }),
    });
    const { usage } = (await response.json()) as {
      readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
    };
    const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = usage ?? {};
    const ticks = Number(response.headers.get("x-hearth-cost-ticks"));
    return { status: response.status, ticks, prompt, completion };
  };
  return { app, hearth, accounts, ask, clock, gguf };
}

type Server = Awaited<ReturnType<typeof start>>;

/** Each makes a change, and says what the next request shows of it. */
const changes: Readonly<Record<string, (server: Server, key: string, keyId: string) => Promise<void>>> = {
  async "the prices of a model"({ hearth, ask }) {
    await hearth("prices", "set", "zeta", "--prompt", "0.15", "--completion", "0.6");
    const { ticks, prompt, completion } = await ask();
    expect(completion).toBeGreaterThan(0);
    expect(ticks).toBe(1500 * prompt + 6000 * completion);
    await hearth("prices", "set", "zeta", "--prompt", "1.5", "--completion", "6");
    expect((await ask()).ticks).toBe(10 * ticks);
  },
  async "an alias of a model"({ hearth, ask }) {
    expect((await ask(testKey, "gpt-4o-mini")).status).toBe(404);
    await hearth("alias", "gpt-4o-mini", "zeta");
    expect((await ask(testKey, "gpt-4o-mini")).status).toBe(200);
    await hearth("alias", "--rm", "gpt-4o-mini");
    expect((await ask(testKey, "gpt-4o-mini")).status).toBe(404);
  },
  async "a setting of a model"({ hearth, ask, app }) {
    await hearth("set", "zeta", "context=64");
    await ask();
    expect(app.models.find("zeta")?.manifest.contextTokens).toBe(64);
  },
  async "a key that is disabled"({ accounts, ask }, key, keyId) {
    await accounts("keys", "disable", keyId);
    expect((await ask(key)).status).not.toBe(200);
  },
  async "the permissions of a key"({ accounts, ask }, key, keyId) {
    await accounts("keys", "update", keyId, "--acl", "api-key:model:other", "--acl", "api-key:endpoint:*");
    expect((await ask(key)).status).toBe(403);
  },
  async "the limits of a key"({ accounts, ask }, key, keyId) {
    await accounts("keys", "update", keyId, "--qpm", "1");
    await ask(key);
    expect((await ask(key)).status).toBe(429);
  },
  async "the limits of a team"({ accounts, ask }, key) {
    await accounts("teams", "limits", "default", "--model", "zeta", "--qpm", "1");
    await ask(key);
    expect((await ask(key)).status).toBe(429);
  },
  async "what a team allows"({ accounts, ask }, key) {
    await accounts(
      "teams",
      "allow",
      "default",
      "--acl",
      "api-key:endpoint:embed",
      "--acl",
      "api-key:model:*",
    );
    expect((await ask(key)).status).toBe(403);
  },
  async "an access group"({ accounts, ask }, key, keyId) {
    await accounts("groups", "create", "some", "--acl", "api-key:endpoint:*", "--acl", "api-key:model:*");
    await accounts("keys", "update", keyId, "--acl", "api-key:group:some");
    expect((await ask(key)).status).toBe(200);
    await accounts("groups", "set", "some", "--acl", "api-key:endpoint:*", "--acl", "api-key:model:other");
    expect((await ask(key)).status).toBe(403);
  },
  async "a budget"({ accounts, ask }, key, keyId) {
    await accounts("budgets", "set", "--key", keyId, "--period", "month", "--hard-tokens", "1");
    expect((await ask(key)).status).toBe(429);
  },
};

it("a command that changes models has changed them in the server when it ends, also one whose file is new", async () => {
  const { app, hearth, gguf } = await start();
  gguf("models/eta.gguf");
  await hearth("set", "eta", "context=64");
  expect(app.models.find("eta")?.manifest.contextTokens).toBe(64);
  await hearth("alias", "gpt-4o", "eta");
  expect(app.models.find("gpt-4o")?.manifest.id).toBe("eta");
  await hearth("rm", "eta");
  expect(app.models.find("eta")).toBeNull();
});

describe("M9: after the command has answered, the next request has", () => {
  it.each(Object.entries(changes))("%s", async (_, change) => {
    const server = await start();
    const { apiKey, apiKeyId } = await server.accounts("keys", "create", "--name", "some key");
    expect((await server.ask(apiKey)).status).toBe(200);
    await change(server, apiKey, apiKeyId);
  });
});
