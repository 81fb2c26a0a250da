import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { operatorSocket } from "../../../src/store/data-folder.js";
import { openOperator } from "../../../src/app/operator/open.js";
import { OperatorClient } from "../../../src/cli/operator.js";
import { loadConfig } from "../../../src/config/config.js";
import { operatorRoutes } from "../../../src/http/management/operator/server-routes.js";
import { closeSocket, listenOnSocket } from "../../../src/http/server/listen/listen-on-socket.js";
import { temporaryFolder } from "../../kit/folder.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { fileServer, startServer } from "../../kit/server.js";
import { gate } from "../../kit/until.js";

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

it("a command whose server hangs ends after two minutes, one whose server ends ends at once, each with a sentence", async () => {
  const socketPath = join(temporaryFolder(), "socket");
  const hanging = createServer((_, response) => {
    asked.open();
    if (ends) response.destroy();
  });
  let ends = false;
  let asked = gate();
  await new Promise<void>((resolve) => hanging.listen(socketPath, resolve));
  onTestFinished(() => void hanging.close().closeAllConnections());
  const clock = createManualClock(0);
  const api = new OperatorClient({ connection: { socketPath }, clock });
  const request = api.get("/auth/teams");
  await asked.opened;
  clock.advance(120_000);
  await expect(request).rejects.toThrow("the running server has not answered within 120 seconds");
  asked = gate();
  ends = true;
  await expect(api.get("/auth/teams")).rejects.toThrow("the running server ended before it answered");
});

it("a server that ends lets the commands finish that it answers, within the time of grace", async () => {
  const path = join(temporaryFolder(), "operator", "socket");
  const held = [gate(), gate()];
  const asked = [gate(), gate()];
  let requests = 0;
  const server = createServer((_, response) => {
    const index = requests++;
    asked[index]?.open();
    void held[index]?.opened.then(() => response.end("{}"));
  });
  await listenOnSocket(server, path);
  const clock = createManualClock(0);
  const api = new OperatorClient({ connection: { socketPath: path }, clock });
  const answered = api.get("/auth/teams");
  await asked[0]?.opened;
  const cutOff = api.get("/auth/teams");
  await asked[1]?.opened;
  const closed = closeSocket(server, clock, 5_000);
  held[0]?.open();
  expect(await answered).toEqual({});
  clock.advance(5_000);
  await expect(cutOff).rejects.toThrow("the running server ended before it answered");
  await closed;
});
