/** Speaks with the OpenID Connect provider: authorization code flow with PKCE (RFC 6749, RFC 7636, OpenID Connect Core 1.0). */
import type * as OpenIdClient from "openid-client";
import type { Clock } from "../../../core/clock.js";
import { isComplete, type TokenClaims } from "./person.js";
import { OidcRefusal } from "./refusal.js";
import type { Transaction } from "./transactions.js";

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** null: a public client, which has none. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
}

export type Provider = ReturnType<typeof createProvider>;

type Client = typeof OpenIdClient;

/** How long the description of the provider is used before it is read again. */
const descriptionMs = 60 * 60 * 1000;
const requestSecondsMax = 10;
const answerBytesMax = 1_048_576;

/** Builds the client; the provider is asked when the first person signs in, and again after a failure. */
export function createProvider(settings: ProviderSettings, clock: Clock) {
  const readConfiguration = createDiscovery(settings, clock);
  return {
    /** Returns the URL at which a person signs in. @throws OidcRefusal `provider_unavailable` */
    authorizationUrl: (transaction: Transaction): Promise<URL> =>
      orRefuse(async (client) => {
        const { state, nonce, verifier, redirectUri } = transaction;
        return client.buildAuthorizationUrl(await readConfiguration(client), {
          redirect_uri: redirectUri,
          scope: [...new Set(["openid", ...settings.scopes])].join(" "),
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
          state,
          nonce,
        });
      }),
    /**
     * Exchanges the code of a callback for what the provider says of the person; everything about it is verified.
     * @param query of the callback
     * @throws OidcRefusal `provider_unavailable`, `provider_refused` or `sign_in_failed`
     */
    claims: (
      transaction: Transaction,
      query: string,
    ): Promise<{ readonly issuer: string; readonly claims: TokenClaims }> =>
      orRefuse(async (client) => {
        const configuration = await readConfiguration(client);
        const { issuer } = configuration.serverMetadata();
        return { issuer, claims: await readClaims(client, configuration, settings, transaction, query) };
      }),
  };
}

async function readClaims(
  client: Client,
  configuration: OpenIdClient.Configuration,
  { groupsClaim }: ProviderSettings,
  { state, nonce, verifier, redirectUri }: Transaction,
  query: string,
): Promise<TokenClaims> {
  const url = new URL(redirectUri);
  url.search = query;
  const tokens = await client.authorizationCodeGrant(configuration, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims: TokenClaims = tokens.claims() ?? {};
  const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
  if (isComplete(claims, groupsClaim) || !hasMore) return claims;
  // The library checks that the answer is about the same subject.
  const more = await client.fetchUserInfo(configuration, tokens.access_token, String(claims["sub"]));
  return { ...more, ...claims };
}

/** Returns the description of the provider. One request at a time asks for it; a failure is not remembered. */
function createDiscovery(
  settings: ProviderSettings,
  clock: Clock,
): (client: Client) => Promise<OpenIdClient.Configuration> {
  let known: { readonly configuration: OpenIdClient.Configuration; readonly until: number } | null = null;
  let asking: Promise<OpenIdClient.Configuration> | null = null;
  const ask = async (client: Client): Promise<OpenIdClient.Configuration> => {
    try {
      const configuration = await discover(client, settings);
      known = { configuration, until: clock.monotonic() + descriptionMs };
      return configuration;
    } catch (cause) {
      throw new OidcRefusal("provider_unavailable", { cause });
    } finally {
      asking = null;
    }
  };
  return (client) => {
    if (known !== null && clock.monotonic() < known.until) return Promise.resolve(known.configuration);
    return (asking ??= ask(client));
  };
}

function discover(
  client: Client,
  { issuer, clientId, clientSecret }: ProviderSettings,
): Promise<OpenIdClient.Configuration> {
  // The settings allow http on this machine only.
  const insecure = issuer.startsWith("http:") ? [client.allowInsecureRequests] : [];
  return client.discovery(new URL(issuer), clientId, undefined, chooseAuthentication(client, clientSecret), {
    // The signature of ID tokens is checked, too, although they come from the provider itself.
    execute: [client.enableNonRepudiationChecks, ...insecure],
    timeout: requestSecondsMax,
    [client.customFetch]: boundedFetch,
  });
}

/** Sends the secret as the provider takes it; `client_secret_basic` is the default of the specification. */
function chooseAuthentication(client: Client, secret: string | null): OpenIdClient.ClientAuth {
  if (secret === null) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    (methods.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

/** Like fetch, with a bound on the bytes of an answer. The time is bounded by the library's signal. */
async function boundedFetch(url: string, options: OpenIdClient.CustomFetchOptions): Promise<Response> {
  const { method, headers, redirect, signal, body } = options;
  const init = { method, headers, redirect, signal };
  const isText = typeof body === "string" || body instanceof URLSearchParams;
  const response = await fetch(url, isText ? { ...init, body } : init);
  const received: AsyncIterable<Uint8Array> | null = response.body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of received ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    // The type of error that fetch has for a broken answer.
    if (bytes > answerBytesMax) throw new TypeError(`the answer has more than ${answerBytesMax} bytes`);
  }
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), {
    status: response.status,
    headers: response.headers,
  });
}

/** Runs work with the library, which is loaded when it is first needed, and turns its errors into refusals. */
async function orRefuse<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await import("openid-client");
  try {
    return await work(client);
  } catch (thrown) {
    throw thrown instanceof OidcRefusal ? thrown : toRefusal(client, thrown);
  }
}

const unavailableCodes: readonly unknown[] = [
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
];

function toRefusal(client: Client, cause: unknown): OidcRefusal {
  if (cause instanceof client.AuthorizationResponseError)
    return new OidcRefusal("provider_refused", { cause });
  const isUnavailable =
    // fetch reports that there is no connection.
    cause instanceof TypeError ||
    (cause instanceof client.ClientError && unavailableCodes.includes(cause.code)) ||
    (cause instanceof client.ResponseBodyError && cause.status >= 500);
  return new OidcRefusal(isUnavailable ? "provider_unavailable" : "sign_in_failed", { cause });
}
