/**
 * Networks that the kernel cuts (Linux, as root): each server has a network namespace, and a router between it and this machine, in a
 * namespace of its own, drops packets by their addresses and ports. Nobody hears of it: no connection ends, none is refused.
 */
import { spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { atEnd } from "../../world/processes.js";
import type { Cut, Place, ServerNetwork, SharedAddresses } from "./server-network.js";
import { settingsFor } from "./settings.js";

export interface Namespaces {
  /** The address of this machine that servers reach. */
  readonly host: string;
  /** All addresses of this machine and the servers. */
  readonly subnet: string;
  /** Creates a namespace for one more server. */
  join(shared: SharedAddresses): ServerNetwork;
  /** Removes everything; that happens at the end of this process, too. */
  close(): void;
}

/** Each server has its own namespace, and so all ports. */
const serverPort = 4280;

/** @throws Error with one sentence where there can be none. */
export function createNamespaces(): Namespaces {
  try {
    return new Router();
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Error(`--namespaces: network namespaces cannot be made: ${reason}`);
  }
}

class Router implements Namespaces {
  readonly #network = freeNetwork();
  readonly host = `${this.#network}.1`;
  readonly subnet = `${this.#network}.0/24`;
  /** What is made here is named by this process. */
  readonly #name = `hearth-chaos-${process.pid}`;
  /** The names of interfaces have at most 15 characters. */
  readonly #hostLink = `hc${process.pid}`;
  readonly #router = `${this.#name}-router`;
  readonly #made: string[] = [];
  readonly close: () => void;

  constructor() {
    if (process.platform !== "linux") throw new Error("only Linux has them");
    if (process.getuid?.() !== 0) throw new Error("only root may make them");
    this.close = atEnd(() => this.#remove());
    try {
      this.#connectHost();
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  #connectHost(): void {
    const router = `${this.#network}.2`;
    this.#make(this.#router);
    ip(`link add ${this.#hostLink} type veth peer name host netns ${this.#router}`);
    ip(`addr add ${this.host}/30 dev ${this.#hostLink}`);
    ip(`link set ${this.#hostLink} up`);
    ip(`-n ${this.#router} addr add ${router}/30 dev host`);
    ip(`-n ${this.#router} link set host up`);
    ip(`route add ${this.subnet} via ${router}`);
    run("ip", ["netns", "exec", this.#router, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"]);
  }

  join(shared: SharedAddresses): ServerNetwork {
    const at = this.#made.length;
    const name = `${this.#name}-${at}`;
    const [near, address] = [`${this.#network}.${4 * at + 1}`, `${this.#network}.${4 * at + 2}`];
    this.#make(name);
    ip(`-n ${this.#router} link add server${at} type veth peer name router netns ${name}`);
    ip(`-n ${this.#router} addr add ${near}/30 dev server${at}`);
    ip(`-n ${this.#router} link set server${at} up`);
    ip(`-n ${name} addr add ${address}/30 dev router`);
    ip(`-n ${name} link set router up`);
    ip(`-n ${name} link set lo up`);
    ip(`-n ${name} route add default via ${near}`);
    const rules = new DropRules(this.#router, { server: address, host: this.host }, shared);
    return {
      command: ["ip", "netns", "exec", name],
      environment: {
        ...settingsFor(shared),
        HEARTH_HOST: address,
        HEARTH_PORT: String(serverPort),
        HEARTH_ALLOW_INSECURE_LAN: "true",
      },
      cuts: ["silent", "unheard", "unreached"],
      cut: (from, how) => rules.add(from, how),
      restore: () => rules.remove(),
      close: () => rules.remove(),
    };
  }

  #make(namespace: string): void {
    ip(`netns add ${namespace}`);
    this.#made.push(namespace);
  }

  #remove(): void {
    // Removing one end of a link removes the other one.
    spawnSync("ip", ["link", "del", this.#hostLink]);
    for (const namespace of this.#made) spawnSync("ip", ["netns", "del", namespace]);
  }
}

interface Ends {
  readonly server: string;
  readonly host: string;
}

/** The rules of the router that drop packets of one server. */
class DropRules {
  readonly #ports: Readonly<Record<Exclude<Place, "clients">, readonly number[]>>;
  #added: readonly string[] = [];

  constructor(
    private readonly router: string,
    private readonly ends: Ends,
    { database, redis, engine, llama }: SharedAddresses,
  ) {
    this.#ports = {
      database: readPorts(database),
      redis: readPorts(redis),
      engines: [...readPorts(engine), ...readPorts(llama)],
    };
  }

  add(from: readonly Place[], how: Cut): void {
    if (how === "refused") throw new Error("a network that drops packets refuses nothing");
    const rules = from.flatMap((place) => this.#rulesOf(place, how));
    for (const rule of rules) ip(`-n ${this.router} rule add ${rule}`);
    this.#added = [...this.#added, ...rules];
  }

  remove(): void {
    const added = this.#added;
    this.#added = [];
    for (const rule of added) ip(`-n ${this.router} rule del ${rule}`);
  }

  #rulesOf(place: Place, how: Exclude<Cut, "refused">): readonly string[] {
    const sent = `from ${this.ends.server} to ${this.ends.host} ipproto tcp`;
    const received = `from ${this.ends.host} to ${this.ends.server} ipproto tcp`;
    const both =
      place === "clients"
        ? [[`${sent} sport ${serverPort}`, `${received} dport ${serverPort}`]]
        : this.#ports[place].map((port) => [`${sent} dport ${port}`, `${received} sport ${port}`]);
    return both.flatMap(([outbound = "", inbound = ""]) => [
      ...(how === "unreached" ? [] : [`${outbound} blackhole`]),
      ...(how === "unheard" ? [] : [`${inbound} blackhole`]),
    ]);
  }
}

function readPorts(url: string | null): readonly number[] {
  return url === null ? [] : [Number(new URL(url).port)];
}

/** Returns the first three numbers of a network that this machine has no address in, of those that are kept for tests (RFC 2544). */
function freeNetwork(): string {
  const taken = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (let at = 0; at < 256; at += 1) {
    const network = `198.18.${(process.pid + at) % 256}`;
    if (!taken.some(({ address }) => address.startsWith(`${network}.`))) return network;
  }
  throw new Error("198.18.0.0/16 is in use");
}

function ip(line: string): void {
  run("ip", line.split(" "));
}

/** @throws Error with what the program says when it fails. */
function run(program: string, args: readonly string[]): void {
  const { error, status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (error !== undefined)
    throw new Error(`${program} cannot be started (${error.message}); iproute2 has it`);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr.trim()}`);
}
