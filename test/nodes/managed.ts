/** Several complete servers on one PostgreSQL database and one shared folder, in one process, each with a clock of its own. */
import { join } from "node:path";
import type { Overrides } from "../../src/app/app.js";
import { temporaryFolder } from "../kit/folder.js";
import { type ManagedServer, startServer } from "../kit/server.js";
import { newPostgresUrl } from "../kit/databases/postgres/databases.js";

/** Starts two servers. @param overridesOf of the first and of the second server */
export async function startTwoManaged(
  overridesOf: (server: "first" | "second") => Overrides = () => ({}),
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly [ManagedServer, ManagedServer]> {
  const url = await newPostgresUrl();
  const folder = temporaryFolder();
  const start = (name: "first" | "second"): Promise<ManagedServer> =>
    startServer({
      accounts: "managed",
      ...overridesOf(name),
      environment: {
        HEARTH_DATA: join(folder, name),
        HEARTH_DATABASE_URL: url,
        HEARTH_SHARED_FOLDER: join(folder, "shared"),
        HEARTH_SERVER_NAME: name,
        ...environment,
      },
    });
  return [await start("first"), await start("second")];
}
