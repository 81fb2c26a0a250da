import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { hearthProgram } from "../world/server.js";

/**
 * Runs `hearth ledger verify`.
 * @param settings HEARTH_* variables that name the database
 * @returns what it prints when the books do not balance; null when they do
 */
export async function runLedgerVerify(settings: Readonly<Record<string, string>>): Promise<string | null> {
  const env = { PATH: process.env["PATH"], ...settings };
  try {
    await promisify(execFile)(process.execPath, [hearthProgram, "ledger", "verify"], { env });
    return null;
  } catch (thrown) {
    const { stdout = "", stderr = "" } = thrown as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}`.trim() || String(thrown);
  }
}
