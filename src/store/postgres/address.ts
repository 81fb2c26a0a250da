/** Addresses of PostgreSQL databases: what the setting `databaseUrl` says, and what may be shown of it. */
import type { ConnectionOptions } from "node:tls";
import { readRegularFileSync } from "../../system/regular-file.js";
import { explainFailure } from "../../system/file-errors.js";

export interface PostgresAddress {
  /** For the client library, without the parameters of TLS. */
  readonly connectionString: string;
  /** false: plain text. */
  readonly ssl: ConnectionOptions | false;
  /** Without the password. */
  readonly shown: string;
}

const pemBytesMax = 1024 * 1024;
const modes = ["disable", "require", "verify-ca", "verify-full"];

/**
 * Reads an address. `sslmode` means what it means for PostgreSQL's own clients: `require` encrypts and does not check who answers,
 * `verify-ca` checks the certificate, `verify-full` its name, too. `sslrootcert`, `sslcert` and `sslkey` name files.
 * @throws Error with one sentence, which never has the password.
 */
export function parsePostgresUrl(url: string): PostgresAddress {
  const parsed = new URL(url);
  const take = (name: string): string | null => {
    const value = parsed.searchParams.get(name);
    parsed.searchParams.delete(name);
    return value;
  };
  const mode = take("sslmode") ?? "disable";
  if (!modes.includes(mode)) throw new Error(`sslmode must be one of ${modes.join(", ")}, not '${mode}'`);
  const [ca, cert, key] = [take("sslrootcert"), take("sslcert"), take("sslkey")].map(readPem);
  const shown = new URL(parsed);
  shown.password = "";
  shown.search = "";
  const ssl = mode === "disable" ? false : { ...checks(mode), ca, cert, key };
  return { connectionString: parsed.href, ssl, shown: shown.href };
}

function checks(mode: string): ConnectionOptions {
  if (mode === "require") return { rejectUnauthorized: false };
  return mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {};
}

function readPem(file: string | null): string | undefined {
  if (file === null) return undefined;
  try {
    return readRegularFileSync(file, pemBytesMax).toString("utf8");
  } catch (thrown) {
    throw new Error(`cannot read ${file}: ${explainFailure(thrown)}`, { cause: thrown });
  }
}
