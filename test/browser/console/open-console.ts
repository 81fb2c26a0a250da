/** The console of a real server, in Chromium. The server, its data folder and what the browser keeps go when the test ends. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { chromium as browserType, type Browser, type Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import type { Overrides } from "../../../src/app/app.js";
import { startApp, type TestApp } from "../../harness.js";
import { chromium } from "../chromium.js";

/** The test function of vitest, and what to add to the name of a suite that is not run without a browser. */
export const [withoutBrowser, test] =
  chromium === null ? [" (not run: no Chromium is installed)", it.runIf(false)] : ["", it];

export const owner = { email: "owner@example.com", password: "correct horse battery staple" };

export interface OpenConsole extends TestApp {
  readonly page: Page;
  /** What the page has written to the console of the browser as an error, and exceptions that it did not catch. */
  readonly problems: readonly string[];
}

export interface ConsoleOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly overrides?: Overrides;
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
}

/** Starts a server with the built-in models and opens the sign-in page with the link of the first start. */
export async function openSignIn(options: ConsoleOptions = {}): Promise<OpenConsole> {
  const started = await startApp(options.environment, options.overrides);
  const page = await openPage(options);
  const problems = problemsOf(page);
  const signIn = await started.app.ownerSignIn();
  const link = signIn.kind === "link" && signIn.secret !== null ? `#link=${signIn.secret}` : "";
  await page.goto(`${started.url}/console${link}`);
  return { ...started, page, problems };
}

/** Starts a server and signs its first owner in. */
export async function openConsole(options: ConsoleOptions = {}): Promise<OpenConsole> {
  const opened = await openSignIn(options);
  await setFirstPassword(opened.page);
  return opened;
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

/** Opens an empty page, which the test closes. */
export async function openPage({ colorScheme = "light", width = 1200 }: ConsoleOptions): Promise<Page> {
  const context = await (
    await (browser ??= launch())
  ).newContext({
    colorScheme,
    viewport: { width, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  onTestFinished(() => context.close());
  return context.newPage();
}

/** The browser of all tests of this process, which share nothing in it. It runs until the process ends. */
let browser: Promise<Browser> | null = null;

function launch(): Promise<Browser> {
  if (chromium === null) throw new Error("there is no Chromium");
  // The sandbox of Chromium does not run as root, as tests in containers do.
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
  return browserType.launch({ executablePath: pathOf(chromium), args });
}

/** Returns where the command of a program is. */
function pathOf(command: string): string {
  const folders = process.env["PATH"]?.split(delimiter) ?? [];
  return folders.map((folder) => join(folder, command)).find((file) => existsSync(file)) ?? command;
}

function problemsOf(page: Page): readonly string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    // The browser reports each answer with an error status, too: the first question for a session has 401.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(message.text());
  });
  return problems;
}
