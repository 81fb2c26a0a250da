import { X509Certificate } from "node:crypto";
import { TLSSocket } from "node:tls";
import { Agent, buildConnector, fetch } from "undici";
import { readRegularFileSync } from "../../system/regular-file.js";
import type { Fetch } from "./client.js";

const certBytesMax = 1024 * 1024;

/**
 * Returns a `fetch` that talks only to the server whose certificate is in the file, regardless of its issuer and of the names it is for: the
 * server of this machine is known by its certificate.
 */
export function fetchTrusting(certFile: string): Fetch {
  // A resumed session has no certificate to compare.
  const connect = buildConnector({ rejectUnauthorized: false, maxCachedSessions: 0 });
  const dispatcher = new Agent({
    connect(options, callback) {
      connect(options, (...[error, socket]) => {
        if (error !== null) callback(error, null);
        else if (hasCertificate(socket, certFile)) callback(null, socket);
        else {
          socket.destroy();
          callback(new Error(`the server has another certificate than ${certFile}`), null);
        }
      });
    },
  });
  return (url, init) =>
    // The types of the package and of Node.js name the same classes.
    fetch(url, { ...(init as object), dispatcher }) as Promise<unknown> as Promise<Response>;
}

function hasCertificate(socket: unknown, certFile: string): boolean {
  const presented = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  return (
    presented?.fingerprint256 ===
    new X509Certificate(readRegularFileSync(certFile, certBytesMax)).fingerprint256
  );
}
