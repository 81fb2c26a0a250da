/** The address of the server, as its settings say. Imports nothing, so that a command that needs no settings loads none. */

/** The addresses that stand for all addresses of a machine, and how this machine reaches itself there. */
const wildcards = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** Returns the configured address as a base URL. */
export function configuredUrl({ host: written, port, tlsCert }: Address): string {
  const host = wildcards.get(written) ?? written;
  return `${tlsCert === null ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly tlsCert: string | null;
}
