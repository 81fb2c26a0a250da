import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/app/app.js";
import { createManagementKeyStore } from "../../src/accounts/management-keys/store.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { loadConfig } from "../../src/config/config.js";
import { createScriptedEngine } from "../kit/scripted/engine.js";
import { temporaryFolder } from "../kit/folder.js";
import { workerUrls } from "../kit/worker-urls.js";
import { newPostgresUrl, openBeside, openServer } from "../kit/databases/postgres/databases.js";

it("servers that start at the same time on an empty database create one team and each first key once", async () => {
  const url = await newPostgresUrl();
  const start = async (): Promise<void> => {
    const { config } = loadConfig({
      HEARTH_PORT: "0",
      HEARTH_DATA: temporaryFolder(),
      HEARTH_API_KEY: "hk-key-of-all-the-servers",
      HEARTH_MANAGEMENT_KEY: "hm-key-of-all-the-servers",
    });
    const engine = createScriptedEngine(() => []);
    const app = await createApp(config, { ...workerUrls, engine, database: await openServer(url) });
    onTestFinished(() => app.close());
  };
  await Promise.all([start(), start(), start()]);

  const database = await openBeside(url);
  onTestFinished(() => database.close());
  expect(await createManagementKeyStore(database).list()).toHaveLength(1);
  expect(await createTeamStore(database).list()).toHaveLength(1);
});
