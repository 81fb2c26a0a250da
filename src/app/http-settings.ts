import { isLoopback, type Config } from "../config/config.js";
import { defaultHttpLimits, type AppContext, type HttpLimits } from "../http/server/app-context.js";
import { openTls, type ServerTls, type TlsDeps } from "../http/server/tls.js";
import { listPinnedKeys } from "../config/pinned-keys.js";
import { version } from "../system/version.js";

/** Reads the certificate of the server; null if none is configured. @throws Error with one sentence when it cannot be used. */
function buildTls({ tlsCert, tlsKey }: Config, deps: TlsDeps): ServerTls | null {
  return tlsCert === null || tlsKey === null ? null : openTls({ certFile: tlsCert, keyFile: tlsKey }, deps);
}

/** What a start says of the HTTP server, in addition to the configuration. */
interface HttpOverrides extends Pick<AppContext, "linkBase" | "requestStop" | "guidesFolder"> {
  /** Limits that the configuration does not set. */
  readonly httpLimits?: Partial<HttpLimits>;
}

/**
 * Returns what is said of the HTTP server.
 * @throws Error with one sentence when its certificate cannot be used.
 */
export function httpSettings(
  config: Config,
  deps: TlsDeps,
  { httpLimits, linkBase, requestStop, guidesFolder }: HttpOverrides,
) {
  return {
    linkBase,
    requestStop,
    guidesFolder,
    limits: { ...defaultHttpLimits, bodyBytesMax: config.bodyBytesMax, ...httpLimits },
    tls: buildTls(config, deps),
    allowedHosts: isLoopback(config.host) ? config.allowedHosts : null,
    corsOrigins: config.corsOrigins,
    ollamaApi: config.ollamaApi === "on",
    ollamaKey: config.ollamaKey,
    pinnedKeys: listPinnedKeys(config),
    trustProxy: config.trustProxy,
    publicUrl: config.publicUrl,
    // Behind a proxy, a loopback address can be reached by everyone.
    metricsOpen: isLoopback(config.host) && !config.trustProxy,
    version,
  };
}
