import { expect, it, vi } from "vitest";
import { authorization, completionRequest, prices, startLedgerServer } from "../../../kit/ledger.js";
import { gate, until, eventually } from "../../../kit/until.js";

const [prompt, completion] = [3 * prices.prompt, prices.completion];
const messages = [{ role: "user", content: "Hello" }];
/** Tokens that reasoning may have by default, and those around it. */
const reasoning = 4096 + 64;
it.each([
  ["/v1/chat/completions", "max_tokens", 4, { messages, max_tokens: 4 }],
  ["/v1/chat/completions", "max_completion_tokens", 4 + reasoning, { messages, max_completion_tokens: 4 }],
  ["/v1/responses", "max_output_tokens", 4, { input: "Hello", max_output_tokens: 4 }],
  ["/v1/messages", "max_tokens", 4, { messages, max_tokens: 4, thinking: { type: "adaptive" } }],
] as const)(
  "a prepaid team with credit for ten runs of %s with %s, %d tokens each at most, has ten admitted at a time, and no eleventh",
  async (path, _, tokens, fields) => {
    const held = gate();
    const server = await startLedgerServer("prepaid", () => ["a", held.opened, " b"], {
      slots: 11,
      contextTokens: 8192,
    });
    const each = prompt + tokens * completion;
    await server.buy(10 * each + each - 1);
    const body = JSON.stringify({ model: completionRequest.model, ...fields });
    const send = () => fetch(`${server.url}${path}`, { method: "POST", headers: authorization, body });
    const answering = Array.from({ length: 10 }, send);
    await until(() => server.app.scheduler.load.running === 10);
    await eventually(async () => expect((await server.balances()).reserved).toBe(BigInt(10 * each)));
    expect([402, 403]).toContain((await send()).status);
    held.open();
    expect((await Promise.all(answering)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  },
);

it("reserves what the model's own limit costs for a request that states none, and what a request states otherwise", async () => {
  const held = gate();
  const settings = { [completionRequest.model]: { sampling: { maxTokens: 4 } } };
  const server = await startLedgerServer("prepaid", () => ["a", held.opened, " b"], {
    settings,
    slots: 3,
    contextTokens: 8192,
  });
  await server.buy(1_000_000_000);
  const send = (path: string, fields: object) =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      headers: authorization,
      body: JSON.stringify({ model: completionRequest.model, ...fields }),
    });
  const sent: Promise<Response>[] = [];
  let expected = 0;
  for (const [path, fields, tokens] of [
    ["/v1/chat/completions", { messages }, 4],
    ["/v1/responses", { input: "Hello" }, 4],
    ["/v1/chat/completions", { messages, max_tokens: 6 }, 6],
  ] as const) {
    sent.push(send(path, fields));
    await until(() => server.app.scheduler.load.running === sent.length);
    expected += prompt + tokens * completion;
    await vi.waitFor(async () => expect((await server.balances()).reserved).toBe(BigInt(expected)), {
      interval: 5,
    });
  }
  held.open();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200]);
});
