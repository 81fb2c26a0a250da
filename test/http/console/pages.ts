/** A client as a browser with the console's page is one: it keeps the cookie and sends the page's header. */
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { createSignInLinks } from "../../../src/accounts/sign-in/links.js";
import { systemRandom } from "../../../src/system/clock.js";
import type { ManagedServer } from "../../kit/server.js";
import type { Answer } from "../../kit/server/management.js";

export const password = "correct horse battery staple";

export interface Page {
  /** Sends a request below /console/api. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The cookie that the browser has; empty without one. */
  cookie: string;
  /** The last `set-cookie` header. */
  setCookie: string | null;
}

/** Opens a page without a session. */
export function openPage({ url }: Pick<ManagedServer, "url">): Page {
  const page: Page = {
    cookie: "",
    setCookie: null,
    async send(method, path, body, headers = {}) {
      const response = await fetch(`${url}/console/api${path}`, {
        method,
        headers: {
          "x-hearth-console": "1",
          ...(page.cookie === "" ? {} : { cookie: page.cookie }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: JSON.stringify(body),
      });
      page.setCookie = response.headers.get("set-cookie");
      if (page.setCookie !== null) page.cookie = page.setCookie.split(";")[0] ?? "";
      return { status: response.status, body: await response.json() };
    },
  };
  return page;
}

/** Returns the secret of a new sign-in link. @param email null: of the first owner */
export async function newLink({ stores, clock }: ManagedServer, email: string | null): Promise<string> {
  const links = createSignInLinks({ ...stores, clock, random: systemRandom });
  return links.create(email === null ? null : await stores.members.findByEmail(email), cliActor);
}

/** Signs the first owner in. */
export async function signInOwner(server: ManagedServer): Promise<Page> {
  const page = openPage(server);
  const link = await newLink(server, null);
  await page.send("POST", "/sign-in", { link, email: "owner@example.com", password });
  return page;
}

/** Creates a member of a team and signs them in. */
export async function signInMember(server: ManagedServer, teamId: string, role: string): Promise<Page> {
  const email = `${role}-${systemRandom.id()}@example.com`;
  await server.createMember(teamId, { email, role });
  const page = openPage(server);
  await page.send("POST", "/sign-in", { link: await newLink(server, email), password });
  return page;
}
