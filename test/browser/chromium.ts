/**
 * Pages in Chromium. All tests of a process share one browser. What a test leaves in a context is removed before another test gets
 * the context, so that tests share nothing.
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { it, onTestFinished } from "vitest";
import { chromiumHint, chromiumPath, launchChromium } from "../kit/browser/chromium.js";
import { root } from "../kit/folder.js";

/** The test function of vitest, and what to add to the name of a suite that is not run without a browser. */
export const [withoutBrowser, test] =
  chromiumPath === null ? [` (not run: ${chromiumHint})`, it.runIf(false)] : ["", it];

const pageMsMax = 60_000;

/** The browser runs until the process ends. */
let browser: Promise<Browser> | null = null;

interface KeptContext {
  readonly context: BrowserContext;
  /** Keeps the process of the context's pages, whose start takes half a second of a core. */
  readonly empty: Page;
}

/** Contexts that no test uses now, by their options. */
const free = new Map<string, KeptContext[]>();

/** Opens an empty page in a context that no other test uses; it is closed when the test ends. */
export async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  const key = JSON.stringify(options);
  const kept = free.get(key)?.pop() ?? (await openContext(options));
  onTestFinished(async () => {
    await clear(kept);
    free.set(key, [...(free.get(key) ?? []), kept]);
  });
  return kept.context.newPage();
}

async function openContext(options: BrowserContextOptions): Promise<KeptContext> {
  const context = await (await (browser ??= launchChromium())).newContext(options);
  return { context, empty: await context.newPage() };
}

/** Closes the pages of a test, and deletes what the browser stored for them. */
async function clear({ context, empty }: KeptContext): Promise<void> {
  const pages = context.pages().filter((page) => page !== empty);
  const urls = pages.map((page) => page.url()).filter((url) => url.startsWith("http"));
  for (const page of pages) await page.close();
  const session = await context.newCDPSession(empty);
  for (const origin of new Set(urls.map((url) => new URL(url).origin)))
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await session.detach();
  await context.clearCookies();
}

/**
 * Serves a page whose origin no other server has.
 * @param script returns its script, when the page is opened
 * @returns its URL, which is its origin
 */
export async function servePage(script: () => string): Promise<string> {
  const server = http.createServer((_req, res) => {
    res.setHeader("content-type", "text/html; charset=utf-8");
    res.end(`<!doctype html><pre></pre><script type="module">${script().replaceAll("</", "<\\/")}</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Bundles the body of an async function with the packages that it imports.
 * @param imports lines with the imports
 * @param body returns the result, which JSON can express
 */
export async function pageScript(imports: string, body: string): Promise<string> {
  const contents = `${imports}
const show = (result) => (document.querySelector("pre").textContent = JSON.stringify(result));
(async () => { ${body} })().then(show, (thrown) => show({ thrown: String(thrown) }));`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/** Opens a page and returns the result that its script, or the script of a page to which it leads, has shown. */
export async function resultOf(url: string): Promise<unknown> {
  const page = await newPage();
  await page.goto(url);
  const shown = page.locator("pre").filter({ hasText: /./ });
  return JSON.parse((await shown.textContent({ timeout: pageMsMax })) ?? "") as unknown;
}
