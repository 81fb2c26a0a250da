/** A browser that signs in through the provider, as a person with the console's page does. */
import { type ManagedServer, startServer } from "../../../kit/server.js";
import type { Overrides } from "../../../../src/app/app.js";
import { openPage, type Page } from "../pages.js";
import { clientId, clientSecret, publicUrl, type TestProvider } from "../../../kit/doubles/oidc-provider.js";

export interface Browser extends Page {
  /** Opens the link of the button. */
  start(): Promise<Arrival>;
  /** Follows it to the provider, up to the URL that leads back. @param change of the query at the provider */
  toProvider(change?: Readonly<Record<string, string>>): Promise<URL>;
  /** Opens the URL that leads back. */
  back(url: URL): Promise<Arrival>;
  /** Both. */
  signIn(): Promise<Arrival>;
  /** The cookies of the sign-ins that have begun. */
  transaction: string;
}

export interface Arrival {
  readonly status: number;
  /** Where a redirect leads; null: it is a page. */
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

const groups = [
  { group: "operators", team: "*", role: "owner" },
  { group: "leads", team: "research", role: "admin" },
  { group: "researchers", team: "research", role: "member" },
  { group: "guests", team: "guests", role: "member" },
  { group: "heads", team: "research", role: "owner" },
  { group: "lost", team: "nowhere", role: "member" },
];

/** Starts a server with the provider, and its team `research`. */
export async function startWithProvider(
  { issuer }: Pick<TestProvider, "issuer">,
  environment: NodeJS.ProcessEnv = {},
  overrides: Overrides = {},
): Promise<ManagedServer & { readonly research: string }> {
  const server = await startServer({
    accounts: "managed",
    ...overrides,
    environment: {
      HEARTH_OIDC_ISSUER: issuer,
      HEARTH_OIDC_CLIENT_ID: clientId,
      HEARTH_OIDC_CLIENT_SECRET: clientSecret,
      HEARTH_OIDC_NAME: "Example Inc.",
      HEARTH_OIDC_GROUPS: JSON.stringify(groups),
      HEARTH_PUBLIC_URL: publicUrl,
      HEARTH_ALLOWED_HOSTS: "hearth.test",
      ...environment,
    },
  });
  return { ...server, research: await server.createTeam("research") };
}

export function openBrowser(server: Pick<ManagedServer, "url">): Browser {
  const page = openPage(server);
  const browser: Browser = Object.assign(page, {
    transaction: "",
    async start() {
      const begun = await open(`${server.url}/console/oidc/start`, browser.transaction);
      browser.transaction = withCookies(browser.transaction, begun.headers);
      return begun;
    },
    async toProvider(change: Readonly<Record<string, string>> = {}) {
      const url = new URL((await browser.start()).location ?? "");
      for (const [name, value] of Object.entries(change)) url.searchParams.set(name, value);
      return followToServer(url);
    },
    async back(url: URL) {
      const cookie = browser.transaction;
      const arrival = await open(`${server.url}${url.pathname}${url.search}`, cookie);
      browser.transaction = withCookies(cookie, arrival.headers);
      page.cookie = pairOf(arrival.headers, "hearth-console") ?? page.cookie;
      return arrival;
    },
    signIn: async () => browser.back(await browser.toProvider()),
  });
  return browser;
}

/** Follows redirects at the provider with its cookies, until one leads to the server. */
async function followToServer(first: URL): Promise<URL> {
  const jar = new Map<string, string>();
  let url = first;
  for (let steps = 0; steps < 10 && url.origin !== publicUrl; steps += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const { headers, location, text } = await open(url.href, cookie);
    for (const set of headers.getSetCookie()) {
      const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=");
      jar.set(name, value);
    }
    if (location === null) throw new Error(`the provider answered: ${text.slice(0, 500)}`);
    url = new URL(location, url);
  }
  return url;
}

async function open(url: string, cookie = ""): Promise<Arrival> {
  const headers: Record<string, string> = cookie === "" ? {} : { cookie };
  const response = await fetch(url, { headers, redirect: "manual" });
  const location = response.headers.get("location");
  return { status: response.status, location, headers: response.headers, text: await response.text() };
}

/** Returns the cookies of sign-ins that a browser has after an answer. */
function withCookies(before: string, headers: Headers): string {
  const jar = new Map<string, string>();
  const put = (pair: string): void => {
    const [name = "", ...value] = pair.split("=");
    if (value.join("=") === "") jar.delete(name);
    else jar.set(name, pair);
  };
  for (const pair of before.split("; ")) put(pair);
  for (const set of headers.getSetCookie()) if (set.startsWith("hearth-oidc")) put(set.split(";")[0] ?? "");
  return [...jar.values()].join("; ");
}

/** Returns the cookie of an answer whose name begins so, as a request sends it; null when it sets none. */
function pairOf(headers: Headers, name: string): string | null {
  const set = headers.getSetCookie().find((each) => each.startsWith(name));
  return set === undefined ? null : (set.split(";")[0] ?? null);
}

/** Where a sign-in leads that did not succeed. */
export function errorOf({ status, location }: Arrival): string {
  return `${status} ${location ?? "a page"}`;
}

/** The same for an error. */
export function ledToError(code: string): string {
  return `303 /console#error=${code}`;
}
