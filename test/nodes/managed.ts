/** Several complete servers on one PostgreSQL database and one shared folder, in one process, each with a clock of its own. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Overrides } from "../../src/app/app.js";
import { temporaryFolder } from "../harness.js";
import { startManagedServer, type ManagedServer } from "../http/auth/managed.js";
import { newPostgresUrl } from "../postgres/databases.js";

/** Starts two servers. @param overridesOf of the first and of the second server */
export async function startTwoManaged(
  overridesOf: (server: "first" | "second") => Overrides = () => ({}),
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly [ManagedServer, ManagedServer]> {
  const url = await newPostgresUrl();
  const folder = temporaryFolder();
  const start = (name: "first" | "second"): Promise<ManagedServer> =>
    startManagedServer(onTestFinished, overridesOf(name), {
      HEARTH_DATA: join(folder, name),
      HEARTH_DATABASE_URL: url,
      HEARTH_SHARED_FOLDER: join(folder, "shared"),
      HEARTH_SERVER_NAME: name,
      ...environment,
    });
  return [await start("first"), await start("second")];
}
