/** Finds and starts the Chromium of this machine. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium as browserType, type Browser } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** How to get one. */
export const chromiumHint = "install Chromium: apt-get install chromium";

/** The path of a Chromium that starts here; null if there is none. */
export const chromiumPath: string | null = names.flatMap(pathsOf).find(starts) ?? null;

/** Starts Chromium. @throws Error when it is not installed */
export function launchChromium(): Promise<Browser> {
  if (chromiumPath === null) throw new Error(chromiumHint);
  // The sandbox of Chromium does not run as root, as tests in containers do. Pages of one context share a process.
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--renderer-process-limit=1"];
  return browserType.launch({ executablePath: chromiumPath, args });
}

function pathsOf(name: string): readonly string[] {
  const folders = process.env["PATH"]?.split(delimiter) ?? [];
  return folders.map((folder) => join(folder, name)).filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Some systems have a program of that name that only says how to install it. */
function starts(path: string): boolean {
  return spawnSync(path, ["--version"], { timeout: 30_000 }).status === 0;
}
