/** An OpenID Connect provider on this machine, at which one person is always signed in. */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";
import { onTestFinished } from "vitest";

export const clientId = "hearth";
export const clientSecret = "a client secret/of+the provider";
/** The address of the server for browsers; the tests' browser finds the server there. */
export const publicUrl = "http://hearth.test";

/** The claims of a person. */
export interface TestPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean | string;
  readonly given_name?: string;
  readonly groups?: readonly string[] | string;
  readonly realm_access?: object;
}

export interface TestProvider {
  readonly issuer: string;
  /** Who signs in next. */
  person: TestPerson;
  /** The paths and headers of the requests that the provider has got. */
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[];
  /** What answers a path in place of the provider. */
  readonly instead: Map<string, (res: ServerResponse) => void>;
  /** Stops listening, until the test listens again. */
  stop(): Promise<void>;
  /** Listens on the port that it has had. */
  listen(): Promise<void>;
}

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const jwks = { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "test" }] };

/**
 * @param inIdToken whether ID tokens have all claims; otherwise the user info endpoint has them, as the specification says
 * @param address of the server for browsers
 */
export async function startProvider(inIdToken = false, address = publicUrl): Promise<TestProvider> {
  let answer: (req: IncomingMessage, res: ServerResponse) => void = () => undefined;
  const server = createServer((req, res) => answer(req, res));
  let port = 0;
  const listen = async () => {
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  };
  await listen();
  const issuer = `http://127.0.0.1:${port}`;
  const test: TestProvider = {
    issuer,
    person: { sub: "ada", email: "ada@example.com", email_verified: true, groups: ["researchers"] },
    requests: [],
    instead: new Map(),
    stop: () => stop(server),
    listen,
  };
  const provider = new Provider(issuer, configurationOf(test, inIdToken, address));
  const callback = provider.callback();
  answer = (req, res) => {
    const [path = ""] = (req.url ?? "").split("?");
    test.requests.push({ path, authorization: req.headers.authorization });
    const instead = test.instead.get(path);
    if (instead !== undefined) instead(res);
    else if (path.startsWith("/interaction/")) void interact(provider, test, req, res);
    else void callback(req, res);
  };
  onTestFinished(() => stop(server));
  return test;
}

function configurationOf(test: TestProvider, inIdToken: boolean, address: string): Configuration {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${address}/console/oidc/callback`],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["given_name", "family_name", "groups", "realm_access"],
    },
    conformIdTokenClaims: !inIdToken,
    cookies: { keys: ["a key for the cookies of the provider"] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ ...test.person, sub: id }),
    }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    jwks,
    pkce: { required: () => true },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  };
}

/** Signs the person in and gives the client what it asks for. */
async function interact(
  provider: Provider,
  { person }: TestProvider,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(req, res);
  const grant = new provider.Grant({ accountId: person.sub, clientId });
  grant.addOIDCScope(String(params["scope"]));
  const result = { login: { accountId: person.sub }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(req, res, result);
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
