/**
 * Where data and models are by default. In a checkout, which has src/ beside dist/, these are its working directory's `data` and
 * `models`. An installed package keeps nothing in its own folder, which an update replaces: it uses the platform's folder for data of
 * programs.
 */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { findInstallation } from "../system/installation.js";

interface DefaultFolders {
  readonly data: string;
  readonly models: string;
}

/** What the folders depend on. */
interface Installation {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly isCheckout: boolean;
}

/** The source of a setting that has one of these folders. */
export const platformDefault = "default of the installed package";

/** Returns the folders; null in a checkout, where they are relative to the working directory. */
export function platformFolders(
  environment: NodeJS.ProcessEnv,
  installation: Installation = ownInstallation(),
): DefaultFolders | null {
  if (installation.isCheckout) return null;
  const own = join(programDataFolder(environment, installation), "hearth");
  return { data: join(own, "data"), models: join(own, "models") };
}

function ownInstallation(): Installation {
  const isCheckout = findInstallation().kind === "checkout";
  return { platform: process.platform, home: homedir(), isCheckout };
}

function programDataFolder(environment: NodeJS.ProcessEnv, { platform, home }: Installation): string {
  const own = platformDataFolder(environment, { platform, home });
  return own ?? xdgFolder(environment["XDG_DATA_HOME"], join(home, ".local", "share"));
}

/** Returns the folder for what programs remember of a user, such as what was typed. */
export function userStateFolder(environment: NodeJS.ProcessEnv, home: string): string {
  const { platform } = process;
  const own = platformDataFolder(environment, { platform, home });
  return join(own ?? xdgFolder(environment["XDG_STATE_HOME"], join(home, ".local", "state")), "hearth");
}

/** null where the variables of XDG name the folders. */
function platformDataFolder(
  environment: NodeJS.ProcessEnv,
  { platform, home }: Omit<Installation, "isCheckout">,
): string | null {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  return platform === "win32" ? (environment["LOCALAPPDATA"] ?? join(home, "AppData", "Local")) : null;
}

/** A folder of XDG counts when it is absolute, as its specification demands. */
function xdgFolder(stated: string | undefined, otherwise: string): string {
  return stated !== undefined && isAbsolute(stated) ? stated : otherwise;
}
