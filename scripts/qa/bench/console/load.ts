import type { Browser, BrowserContext, Page } from "playwright-core";
import { spread, toRow, type Row } from "../../figures/table.js";

const rounds = 10;

interface FirstLoad {
  /** Milliseconds until the first text or picture is drawn. */
  readonly paintMs: number;
  /** Compressed bytes of the page, its scripts and its styles. */
  readonly bytes: number;
}

/** Measures the first load with an empty cache: of the sign-in page, and of the overview of a signed-in member. */
export async function loadRows(signedIn: BrowserContext, url: string): Promise<readonly Row[]> {
  const browser = signedIn.browser();
  if (browser === null) throw new Error("there is no browser");
  const state = await signedIn.storageState();
  const signIn = await measured(browser, url, undefined, "form");
  const overview = await measured(browser, url, state, `[aria-label="Requests today"]`);
  return [...toRows("sign-in page", signIn), ...toRows("overview", overview)];
}

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;

async function measured(
  browser: Browser,
  url: string,
  storageState: State | undefined,
  selector: string,
): Promise<readonly FirstLoad[]> {
  const loads: FirstLoad[] = [];
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext(storageState === undefined ? {} : { storageState });
    const page = await context.newPage();
    await page.goto(`${url}/console`);
    await page.locator(selector).first().waitFor();
    loads.push(await firstLoad(page));
    await context.close();
  }
  return loads;
}

function firstLoad(page: Page): Promise<FirstLoad> {
  return page.evaluate<FirstLoad>(`(async () => {
    const [paint] = await new Promise((resolve) =>
      new PerformanceObserver((list) => {
        const found = list.getEntriesByName("first-contentful-paint");
        if (found.length > 0) resolve(found);
      }).observe({ type: "paint", buffered: true }));
    const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
    const files = entries.filter(({ name }) => !new URL(name).pathname.startsWith("/console/api/"));
    const bytes = files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    return { paintMs: paint.startTime, bytes };
  })()`);
}

function toRows(page: string, loads: readonly FirstLoad[]): readonly Row[] {
  const paints = loads.map(({ paintMs }) => paintMs);
  const kilobytes = loads.map(({ bytes }) => bytes / 1000);
  return [
    toRow(`first contentful paint of the ${page}`, spread(paints, 0, "ms"), "<= 1000 ms"),
    toRow(`first load of the ${page}, compressed`, spread(kilobytes, 1, "kB"), "<= 150 kB"),
  ];
}
