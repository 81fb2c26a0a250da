import { isLoopback, type Config } from "../config/config.js";
import { configuredUrl } from "../config/configured-url.js";
import { defaultHttpLimits, type HttpLimits } from "../http/server/app-context.js";
import { openTls, type ServerTls, type TlsDeps } from "../http/server/tls.js";
import { listPinnedKeys } from "../config/pinned-keys.js";
import { version } from "../system/version.js";

/** Reads the certificate of the server; null if none is configured. @throws Error with one sentence when it cannot be used. */
function buildTls({ tlsCert, tlsKey }: Config, deps: TlsDeps): ServerTls | null {
  return tlsCert === null || tlsKey === null ? null : openTls({ certFile: tlsCert, keyFile: tlsKey }, deps);
}

/**
 * Returns what the configuration says of the HTTP server.
 * @param limits those that it does not set
 * @throws Error with one sentence when its certificate cannot be used.
 */
export function httpSettings(config: Config, deps: TlsDeps, limits: Partial<HttpLimits> = {}) {
  return {
    limits: { ...defaultHttpLimits, bodyBytesMax: config.bodyBytesMax, ...limits },
    tls: buildTls(config, deps),
    allowedHosts: isLoopback(config.host) ? config.allowedHosts : null,
    corsOrigins: config.corsOrigins,
    ollamaApi: config.ollamaApi === "on",
    ollamaKey: config.ollamaKey,
    pinnedKeys: listPinnedKeys(config),
    trustProxy: config.trustProxy,
    publicUrl: config.publicUrl,
    configuredUrl: configuredUrl(config),
    // Behind a proxy, a loopback address can be reached by everyone.
    metricsOpen: isLoopback(config.host) && !config.trustProxy,
    version,
  };
}
