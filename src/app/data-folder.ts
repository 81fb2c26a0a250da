/** What lies where in the data folder. */
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.js";

type Folder = Pick<Config, "data">;

export function databaseFile({ data }: Folder): string {
  return join(data, "hearth.db");
}

/** Where the first key is kept, for `hearth run` and for whoever closed the terminal too soon. */
export function firstKeyFile({ data }: Folder): string {
  return join(data, "first-key");
}

/** The same for the first management key. */
export function firstManagementKeyFile({ data }: Folder): string {
  return join(data, "first-management-key");
}

/** Drawn images that are fetched by URL. */
export function imagesFolder({ data }: Folder): string {
  return join(data, "images");
}

/** Writes a secret for its owner only. */
export async function writeSecret(file: string, secret: string): Promise<void> {
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}
