import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { operatorSocket } from "../../../src/store/data-folder.js";
import { openOperator } from "../../../src/app/operator/open.js";
import { OperatorClient } from "../../../src/cli/operator.js";
import { loadConfig } from "../../../src/config/config.js";
import { operatorRoutes } from "../../../src/http/management/operator/routes.js";
import { temporaryFolder } from "../../kit/folder.js";
import { fileServer, startServer } from "../../kit/server.js";

const shared = fileServer({ accounts: "managed" });

/** Runs an action as a command does that finds this data folder. */
async function withOperator<Result>(
  data: string,
  action: (api: OperatorClient, isServer: boolean) => Promise<Result>,
): Promise<Result> {
  const operator = await openOperator(loadConfig({ HEARTH_DATA: data }).config);
  try {
    return await action(new OperatorClient(operator), operator.connection.socketPath !== undefined);
  } finally {
    await operator.close();
  }
}

it("E35: only the user of the server can open its socket", () => {
  const socket = operatorSocket({ data: shared().data }) ?? "";
  expect(statSync(socket).isSocket()).toBe(true);
  expect((statSync(socket).mode & 0o777).toString(8)).toBe("600");
  expect((statSync(dirname(socket)).mode & 0o777).toString(8)).toBe("700");
});

it("E35: no address leads to what is for the operator alone, whatever the key", async () => {
  const server = shared();
  const own = operatorRoutes.filter(({ path }) => path.startsWith("/operator/"));
  expect(own.length).toBeGreaterThan(10);
  for (const { method, path } of own)
    for (const prefix of ["", "/console/api", "/v1"])
      expect([
        path,
        (await server.request(method, prefix + path, method === "GET" ? undefined : {})).status,
      ]).toEqual([path, 404]);
});

it("a command that finds a server changes accounts over it, as the operator", async () => {
  const server = shared();
  const teamId = await server.createTeam();
  const { apiKeyId } = await server.createKey(teamId);
  await withOperator(server.data, async (api, isServer) => {
    expect(isServer).toBe(true);
    await api.request("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey: { blocked: true } });
  });
  const { body } = await server.request("GET", `/audit/teams/${teamId}/events?pageSize=1`);
  expect(body).toMatchObject({ events: [{ actor: "cli", act: "UpdateApiKey", objectId: apiKeyId }] });
});

it("a server replaces the socket of one that was killed, and removes its own at its end", async () => {
  const data = join(temporaryFolder(), "data");
  const socket = operatorSocket({ data }) ?? "";
  mkdirSync(dirname(socket), { recursive: true });
  writeFileSync(socket, "");
  const { app } = await startServer({ environment: { HEARTH_DATA: data } });
  expect(await withOperator(data, (_, isServer) => Promise.resolve(isServer))).toBe(true);
  await app.close();
  expect(await withOperator(data, (_, isServer) => Promise.resolve(isServer))).toBe(false);
});

it("a server starts where its data folder takes no socket; commands then answer themselves", async () => {
  const data = join(temporaryFolder(), "data");
  mkdirSync(data);
  writeFileSync(join(data, "operator"), "");
  await startServer({ environment: { HEARTH_DATA: data } });
  const teams = await withOperator(data, async (api, isServer) => [
    isServer,
    await api.list("/auth/teams", "teams"),
  ]);
  expect(teams).toMatchObject([false, [{ name: "default" }]]);
});
