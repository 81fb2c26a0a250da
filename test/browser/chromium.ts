/** Runs pages in Chromium, without a driver: the page writes its result into itself, and Chromium prints the page. */
import { execFile, spawnSync } from "node:child_process";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import { root, temporaryFolder } from "../harness.js";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** The command of a Chromium that starts here; null if there is none. */
export const chromium: string | null =
  names.find((name) => spawnSync(name, ["--version"], { timeout: 30_000 }).status === 0) ?? null;

const pageMsMax = 60_000;

/**
 * Serves a page whose origin is not that of any other server.
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

/** Opens a page and returns the result that its script has shown. @throws Error with what Chromium printed */
export async function resultOf(url: string): Promise<unknown> {
  if (chromium === null) throw new Error("there is no Chromium");
  const profile = `--user-data-dir=${temporaryFolder()}`;
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", profile];
  const printed = await new Promise<string>((resolve, reject) =>
    execFile(
      chromium,
      [...options, `--virtual-time-budget=${pageMsMax}`, "--dump-dom", url],
      { timeout: pageMsMax, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(stderr, { cause: error })),
    ),
  );
  const [, shown = ""] = /<pre>([^<]*)<\/pre>/.exec(printed) ?? [];
  if (shown === "") throw new Error(`the page shows no result: ${printed.slice(0, 500)}`);
  const text = shown.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return JSON.parse(text);
}
