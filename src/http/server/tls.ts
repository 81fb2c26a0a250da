/** The certificate of an HTTPS server: read and checked at the start, and read again after it was renewed. */
import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { statSync } from "node:fs";
import type { Server } from "node:https";
import type { SecureContextOptions } from "node:tls";
import type { Clock } from "../../core/clock.js";
import type { Logger } from "../../core/logger.js";
import { readRegularFileSync, UnreadableFileError } from "../../system/regular-file.js";

interface TlsFiles {
  /** PEM: the certificate of the server, then the certificates of the authorities in between. */
  readonly certFile: string;
  /** PEM: its private key. */
  readonly keyFile: string;
}

export type ServerTls = ReturnType<typeof openTls>;

export interface TlsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A renewed certificate is used this long after it was written. */
const lookEveryMs = 60_000;
const fileBytesMax = 1024 * 1024;
const warnBeforeMs = 14 * 24 * 3_600_000;

/** @throws Error with one sentence that names the setting and the file. */
export function openTls(files: TlsFiles, { clock, logger }: TlsDeps) {
  let seen = readVersion(files);
  const first = readPair(files);
  let warned = "";
  const warnOfEnd = (end: Date): void => {
    const warning = findWarning(end, clock.now());
    if (warning !== null && warning !== warned) logger.warn({ certificate: files.certFile }, warning);
    warned = warning ?? "";
  };
  warnOfEnd(first.end);
  return {
    options: first.options,
    /** The names and addresses that the certificate is for. */
    names: first.names,
    /** Reads the files again when they have changed. @returns a function that ends this */
    follow(server: Server): () => void {
      let { end } = first;
      let stop = (): void => undefined;
      const look = (): void => {
        stop = clock.after(lookEveryMs, look);
        const found = readVersion(files);
        if (found !== seen) {
          seen = found;
          try {
            const pair = readPair(files);
            server.setSecureContext(pair.options);
            end = pair.end;
            logger.info({ validTo: end.toISOString() }, "the renewed certificate is in use");
          } catch (err) {
            logger.error({ err }, "the renewed certificate cannot be used; the former one stays in use");
          }
        }
        warnOfEnd(end);
      };
      stop = clock.after(lookEveryMs, look);
      return () => stop();
    },
  };
}

interface Certificate {
  /** The names and addresses that it is for. */
  readonly names: readonly string[];
  readonly end: Date;
  /** That it has expired, or will soon; null while it is valid for long. */
  readonly warning: string | null;
}

/**
 * Reads the files as a start of the server does.
 * @param now milliseconds since 1970
 * @throws Error with one sentence that names the setting and the file.
 */
export function readCertificate(files: TlsFiles, now: number): Certificate {
  const { names, end } = readPair(files);
  return { names, end, warning: findWarning(end, now) };
}

interface Pair {
  readonly options: SecureContextOptions;
  readonly names: readonly string[];
  readonly end: Date;
}

function readPair({ certFile, keyFile }: TlsFiles): Pair {
  const cert = readSetting("tlsCert", certFile);
  const key = readSetting("tlsKey", keyFile);
  const certificate = parsed("tlsCert", certFile, "a certificate in PEM", () => new X509Certificate(cert));
  const privateKey = parsed("tlsKey", keyFile, "a private key in PEM without a password", (): KeyObject =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(`tlsKey: ${keyFile} is not the private key of the certificate in ${certFile}`);
  return {
    options: { cert, key, minVersion: "TLSv1.2" },
    names: listNames(certificate),
    end: new Date(certificate.validTo),
  };
}

function readSetting(setting: string, file: string): Buffer {
  try {
    return readRegularFileSync(file, fileBytesMax);
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
    const isRefused = thrown instanceof UnreadableFileError;
    const reason =
      code === "ENOENT" ? "it does not exist" : isRefused ? thrown.message : String(code ?? thrown);
    throw new Error(`${setting}: cannot read ${file}: ${reason}`, { cause: thrown });
  }
}

function parsed<Value>(setting: string, file: string, what: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (thrown) {
    throw new Error(`${setting}: ${file} is not ${what}`, { cause: thrown });
  }
}

function listNames({ subjectAltName = "" }: X509Certificate): readonly string[] {
  return [...subjectAltName.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(([, name = ""]) => name);
}

function findWarning(end: Date, now: number): string | null {
  const day = end.toISOString().slice(0, 10);
  if (end.getTime() <= now) return `the certificate expired on ${day}: clients refuse it`;
  return end.getTime() - now <= warnBeforeMs ? `the certificate expires on ${day}` : null;
}

/** Returns a text that changes with either file. */
function readVersion({ certFile, keyFile }: TlsFiles): string {
  const parts = [certFile, keyFile].map((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? "none" : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
  });
  return parts.join(", ");
}
