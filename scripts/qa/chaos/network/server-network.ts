/** How a server reaches what it shares with others, and how clients reach it. Each of these ways can be cut. */

export type Place = "database" | "engines" | "redis" | "clients";
export const allPlaces: readonly Place[] = ["database", "engines", "redis", "clients"];

/**
 * - `refused`: connections are reset, as by a host that restarts.
 * - `silent`: nothing arrives and nothing ends, as by a broken network.
 * - `unheard`: the same, only of what the server sends.
 * - `unreached`: the same, only of what is sent to the server.
 */
export type Cut = "refused" | "silent" | "unheard" | "unreached";

export interface ServerNetwork {
  /** The program, with its arguments, that starts another program where the server is; none: it is started as it is. */
  readonly command: readonly string[];
  /** Settings of the server: its own address, and the addresses of what it uses. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cuts: readonly Cut[];
  /** Cuts the server from these places until `restore`. */
  cut(from: readonly Place[], how: Cut): void;
  restore(): void;
  close(): void;
}

/** The addresses of what all servers share. */
export interface SharedAddresses {
  readonly database: string;
  /** Null where PostgreSQL counts limits. */
  readonly redis: string | null;
  readonly engine: string;
  /** Null where there is no llama-server. */
  readonly llama: string | null;
}
