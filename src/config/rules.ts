/** What settings must hold together. */
import { ConfigError } from "./file.js";

interface RelatedSettings {
  readonly host: string;
  readonly trustProxy: boolean;
  readonly allowInsecureLan: boolean;
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly apiKey: string | null;
  readonly managementKey: string | null;
  readonly kvCacheType: string;
  readonly flashAttention: string;
  readonly oidcIssuer: string | null;
  readonly oidcClientId: string | null;
  readonly oidcClientSecret: string | null;
  readonly oidcGroups: readonly object[];
  readonly smtpUrl: string | null;
  readonly smtpFrom: string | null;
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
}

type Sources = Readonly<Record<string, string>>;

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** @throws ConfigError that names the setting that contradicts another one, and where it was set. */
export function refuseContradictions(values: RelatedSettings, sources: Sources): void {
  const refuse = (name: keyof RelatedSettings, reason: string): never => {
    throw new ConfigError(`${name} (set by ${sources[name] ?? "?"}): ${reason}`);
  };
  const { host, tlsCert, tlsKey } = values;
  if (tlsCert !== null && tlsKey === null) refuse("tlsCert", "needs tlsKey, the certificate's private key");
  if (tlsKey !== null && tlsCert === null) refuse("tlsKey", "needs tlsCert, the key's certificate");
  const isProtected = tlsCert !== null || values.trustProxy || values.allowInsecureLan;
  if (!isLoopback(host) && !isProtected)
    refuse(
      "host",
      `${host} can be reached from other machines, and without TLS they send keys and prompts in plain text. ` +
        "Listen on 127.0.0.1, set tlsCert and tlsKey (HEARTH_TLS_CERT, HEARTH_TLS_KEY), put a proxy that terminates TLS in front " +
        "and set trustProxy: true (HEARTH_TRUST_PROXY=true), or, where everybody on the network may read along, set " +
        "allowInsecureLan: true (HEARTH_ALLOW_INSECURE_LAN=true).",
    );
  if (values.apiKey !== null && values.apiKey === values.managementKey)
    refuse("managementKey", "equals the API key; no secret may be valid for both /v1 and /auth");
  if (values.kvCacheType !== "f16" && values.flashAttention === "off")
    refuse("kvCacheType", `${values.kvCacheType} needs flash attention, which flashAttention turns off`);
  if (values.smtpUrl !== null && values.smtpFrom === null) refuse("smtpUrl", "needs smtpFrom, the sender");
  if (values.smtpUrl === null && values.smtpFrom !== null) refuse("smtpFrom", "needs smtpUrl");
  if (values.redisUrl !== null && values.databaseUrl === null)
    refuse(
      "redisUrl",
      "needs databaseUrl: without PostgreSQL there is one server, which counts in its memory",
    );
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcGroups } = values;
  if (oidcIssuer === null && oidcClientId !== null) refuse("oidcClientId", "needs oidcIssuer");
  if (oidcIssuer === null && oidcClientSecret !== null) refuse("oidcClientSecret", "needs oidcIssuer");
  if (oidcIssuer === null && oidcGroups.length > 0) refuse("oidcGroups", "needs oidcIssuer");
  if (oidcIssuer !== null && oidcClientId === null) refuse("oidcIssuer", "needs oidcClientId");
  if (oidcIssuer !== null && oidcGroups.length === 0)
    refuse("oidcIssuer", "needs oidcGroups: without them nobody could sign in by it");
}
