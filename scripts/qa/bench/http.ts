import autocannon from "autocannon";
import { addedRows } from "./http/added.js";
import { deferredRows } from "./http/deferred.js";
import { routeRows } from "./http/routes.js";
import { firstKey, spawnServer, type ServerProcess } from "../world/server.js";
import { toRow, type Row } from "../figures/table.js";

/**
 * Measures the cost of HTTP, dialect, scheduler and ledger on top of the engine, by route, and the cost of
 * deferred completions.
 */
export async function httpSection(): Promise<readonly Row[]> {
  const server = await spawnServer();
  const rows = [...(await addedRows(server)), await listRow(server)];
  await server.stop();
  return [...rows, ...(await routeRows()), ...(await deferredRows())];
}

async function listRow(server: ServerProcess): Promise<Row> {
  const { requests } = await autocannon({
    url: `${server.url}/v1/models`,
    headers: { authorization: `Bearer ${firstKey}` },
    connections: 16,
    duration: 5,
  });
  return toRow("GET /v1/models", `${Math.round(requests.average)} requests/s`, ">= 3000 requests/s");
}
