import { describe, expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { startServer } from "../../../kit/server.js";
import { allAcls } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { gate } from "../../../kit/until.js";
import { createTestTeam } from "../../threats/world.js";
import { clientOf, createBatch, linesOf, whenEnded } from "../../../kit/clients/batches.js";

describe("a line of a batch", () => {
  it("waits for a budget that other requests have reserved, and fails only where it can never fit", async () => {
    const held = gate();
    const engine = createScriptedEngine(() => [held.opened, "done"], { slots: 4, contextTokens: 2048 });
    const server = await startServer({ accounts: "managed", engine });
    const team = await createTestTeam(server, "budgeted");
    const { apiKeyId, apiKey } = await server.createKey(team.teamId, { acls: allAcls });
    const client = clientOf({ url: server.url, apiKey });
    // One reservation of 43 tokens fits at a time; what both lines use fits.
    const change = { apiKeyId, period: "day", budget: { hardTokens: 70 } };
    await server.request("PUT", `/auth/teams/${team.teamId}/budgets`, change);
    const line = (customId: string, tokens: number) => ({
      custom_id: customId,
      method: "POST",
      url: "/v1/completions",
      body: { model: builtInModel, prompt: "one two three", max_tokens: tokens },
    });
    const lines = [line("first", 40), line("second", 40), line("third", 100)];
    const batch = await createBatch(client, lines, "/v1/completions");
    const whenCounted = (counts: object): Promise<void> =>
      vi.waitFor(
        async () => expect((await client.batches.retrieve(batch.id)).request_counts).toMatchObject(counts),
        { timeout: 10_000 },
      );
    await whenCounted({ failed: 1 });
    expect(engine.active).toBe(1);
    held.open();
    await whenCounted({ completed: 1 });
    server.clock.advance(1000);
    const ended = await whenEnded(client, batch);
    expect(ended.request_counts).toEqual({ total: 3, completed: 2, failed: 1 });
    const [refused] = await linesOf(client, ended.error_file_id);
    expect(refused).toMatchObject({ custom_id: "third", response: { status_code: 429 } });
    expect(await server.stores.ledger.verify()).toEqual([]);
  });
});
