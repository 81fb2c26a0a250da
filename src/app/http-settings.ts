import { isLoopback, type Config } from "../config.js";
import { defaultHttpLimits, type HttpDeps, type HttpLimits } from "../http/deps.js";
import { version } from "../version.js";

type HttpSettings = Pick<
  HttpDeps,
  "limits" | "allowedHosts" | "pinnedKeys" | "trustProxy" | "metricsOpen" | "version"
>;

/** Returns what the configuration says of the HTTP server. @param limits those that it does not set */
export function httpSettings(config: Config, limits: Partial<HttpLimits> = {}): HttpSettings {
  return {
    limits: { ...defaultHttpLimits, bodyBytesMax: config.bodyBytesMax, ...limits },
    allowedHosts: isLoopback(config.host) ? config.allowedHosts : null,
    pinnedKeys: [config.apiKey, config.managementKey].filter((key) => key !== null),
    trustProxy: config.trustProxy,
    // Behind a proxy, a loopback address can be reached by everyone.
    metricsOpen: isLoopback(config.host) && !config.trustProxy,
    version,
  };
}
