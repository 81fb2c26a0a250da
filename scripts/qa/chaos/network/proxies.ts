/** Networks that proxies cut: a proxy between each server and each thing that it uses. Clients reach a server without one. */
import type { Cut, Place, ServerNetwork, SharedAddresses } from "./server-network.js";
import { startProxy, type ProxyCut as ProxyCut, type Proxy } from "./proxy.js";
import { settingsFor } from "./settings.js";

export async function connectByProxies(shared: SharedAddresses): Promise<ServerNetwork> {
  const proxies = new Map<Place, Proxy[]>();
  const behind = async (place: Place, address: string): Promise<string> => {
    const url = new URL(address);
    const proxy = await startProxy(Number(url.port));
    proxies.set(place, [...(proxies.get(place) ?? []), proxy]);
    url.port = String(proxy.port);
    return url.href.replace(/\/$/, "");
  };
  const environment = settingsFor({
    database: await behind("database", shared.database),
    redis: shared.redis === null ? null : await behind("redis", shared.redis),
    engine: await behind("engines", shared.engine),
    llama: shared.llama === null ? null : await behind("engines", shared.llama),
  });
  const all = [...proxies.values()].flat();
  return {
    command: [],
    environment: { ...environment, HEARTH_PORT: "0" },
    cuts: ["refused", "silent"],
    cut(from, how) {
      for (const place of from) for (const proxy of proxies.get(place) ?? []) proxy.cut(toProxyCut(how));
    },
    restore() {
      for (const proxy of all) proxy.restore();
    },
    close() {
      for (const proxy of all) proxy.close();
    },
  };
}

function toProxyCut(how: Cut): ProxyCut {
  if (how === "refused" || how === "silent") return how;
  throw new Error(`a proxy cannot cut one direction: ${how}`);
}
