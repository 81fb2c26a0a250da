import { launchChromium } from "../../../test/kit/browser/chromium.js";
import { signInOwner } from "../../../test/kit/browser/sign-in.js";
import { fillUsage, keyCount } from "./console/data.js";
import { loadRows } from "./console/load.js";
import { pageRows } from "./console/pages.js";
import { streamRows } from "./console/stream.js";
import { scratchFolder } from "../world/processes.js";
import { spawnServer } from "../world/server.js";
import { toRow, type Row } from "../figures/table.js";

/**
 * Measures the console in Chromium: its first load, its responsiveness while an answer is streamed, and its pages with 10,000 API keys
 * and a million rows of hourly usage.
 */
export async function* consoleSection(): AsyncIterable<readonly Row[]> {
  const data = scratchFolder();
  const settings = { HEARTH_DATA: data.path };
  await (await spawnServer(settings)).stop();
  const rows = fillUsage(data.path, Date.now());
  const server = await spawnServer(settings);
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  await signInOwner(page, server.url, data.path);
  yield await loadRows(context, server.url);
  yield await streamRows(page, server.url);
  yield [toRow("API keys, rows of hourly usage", `${keyCount}, ${rows}`)];
  await page.unrouteAll();
  yield* pageRows(page);
  await browser.close();
  await server.stop();
  data.remove();
}
