/** The console of a real server, in Chromium. The server, its data folder and what the browser keeps go when the test ends. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Overrides } from "../../../src/app/app.js";
import { startServer, type ServerOptions, type TestServer } from "../../kit/server.js";
import { newPage } from "../chromium.js";

export { test, withoutBrowser } from "../chromium.js";

export const owner = { email: "owner@example.com", password: "correct horse battery staple" };

export interface OpenConsole extends TestServer {
  readonly page: Page;
  /** What the page has written to the console of the browser as an error, and exceptions that it did not catch. */
  readonly problems: readonly string[];
}

export interface ConsoleOptions extends Pick<ServerOptions, "environment" | "hasOwnEngine"> {
  readonly overrides?: Overrides;
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
}

/** Starts a server with the built-in models and opens the sign-in page with the link of the first start. */
export async function openSignIn(options: ConsoleOptions = {}): Promise<OpenConsole> {
  const { link, ...opened } = await openNothing(options);
  await opened.page.goto(`${opened.url}/console#link=${link}`);
  return opened;
}

/** Starts a server, signs its first owner in, and opens the console. The page of the sign-in has tests of its own. */
export async function openConsole(options: ConsoleOptions = {}): Promise<OpenConsole> {
  const { link, ...opened } = await openNothing(options);
  const { page, url } = opened;
  const response = await fetch(`${url}/console/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-hearth-console": "1" },
    body: JSON.stringify({ link, ...owner }),
  });
  const [, name = "", value = ""] = /^([^=]+)=([^;]+);/.exec(response.headers.get("set-cookie") ?? "") ?? [];
  await response.body?.cancel();
  const cookie = { name, value, domain: new URL(url).hostname, path: "/console" };
  await page.context().addCookies([{ ...cookie, httpOnly: true, sameSite: "Strict" }]);
  await page.goto(`${url}/console`);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  return opened;
}

/** Starts a server and the browser. @returns also the secret of the first owner's link */
async function openNothing({
  environment,
  hasOwnEngine = false,
  overrides,
  ...options
}: ConsoleOptions): Promise<OpenConsole & { readonly link: string }> {
  const [started, page] = await Promise.all([
    startServer({ environment, hasOwnEngine, ...overrides }),
    openPage(options),
  ]);
  const [, link = ""] = (await started.app.ownerLink())?.split("#link=") ?? [];
  return { ...started, page, problems: problemsOf(page), link };
}

/** Fills in the form of the first owner's link, and waits until the console is there. */
export async function setFirstPassword(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill(owner.email);
  await page.getByLabel("New password").fill(owner.password);
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
}

/** Opens a page by its link in the navigation. @param title as the link has it */
export async function openByLink(page: Page, title: string): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: title }).click();
  await page.getByRole("heading", { name: title, level: 1 }).waitFor();
}

/** Checks that axe finds nothing serious in what the page shows. */
export async function expectAccessible(page: Page): Promise<void> {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  // Not by a script element, which the policy of the page refuses.
  await page.evaluate(axe);
  const found = await page.evaluate<readonly string[]>(`
    axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))`);
  expect(found).toEqual([]);
}

/** Opens an empty page; it is closed when the test ends. */
export async function openPage({ colorScheme = "light", width = 1200 }: ConsoleOptions): Promise<Page> {
  const page = await newPage({
    viewport: { width: 1200, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  return page;
}

/** Collects what a page writes to the console of the browser as an error, and exceptions that it does not catch. */
export function problemsOf(page: Page): readonly string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    // The browser reports each answer with an error status, too: the first question for a session has 401.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(message.text());
  });
  return problems;
}
