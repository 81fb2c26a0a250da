import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { remoteEngines } from "../../../src/app/engines/remote.js";
import { engineReports } from "../../../src/doctor/engine-report.js";
import { loadConfig } from "../../../src/config/config.js";

/** Starts a llama-server that answers its checks so. @returns what the report says of it */
async function report(
  health: number,
  slots = 1,
): Promise<readonly [ok: boolean | undefined, detail: string]> {
  const properties = { total_slots: slots, default_generation_settings: { n_ctx: 4096 } };
  const server = createServer(({ url }, response) => {
    response.writeHead(url === "/health" ? health : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(properties));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const engines = [{ kind: "llama-server", url, models: [{ id: "tiny", name: "tiny" }] }];
  const { config } = loadConfig({ HEARTH_DATA: "/nowhere", HEARTH_ENGINES: JSON.stringify(engines) });
  const [found] = await engineReports(remoteEngines(config));
  return [found?.ok, found?.detail ?? ""];
}

it("the report of an engine says whether it can be used, and what it can do", async () => {
  expect(await report(200)).toEqual([true, "it is ready, 1 request at a time, 4096 tokens of context"]);
  expect(await report(200, 3)).toEqual([true, "it is ready, 3 requests at a time, 4096 tokens of context"]);
  expect(await report(503)).toEqual([true, "it is loading its model"]);
  expect(await report(401)).toEqual([false, "it refuses the apiKey of its settings"]);
  expect(await report(500)).toEqual([false, expect.stringContaining("it answered 500")]);
});
