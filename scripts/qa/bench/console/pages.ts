import type { Page } from "playwright-core";
import { spread, toRow, type Row } from "../../figures/table.js";

const rounds = 7;

interface Shown {
  readonly title: string;
  /** Path and query, and a selector of what appears once the data is there. */
  readonly href: string;
  readonly selector: string;
}

const usage = (range: string, by: string, title: string): Shown => ({
  title: `usage, ${range === "12m" ? "12 months" : "30 days"} by ${title}`,
  href: `/console/usage?range=${range}&by=${by}`,
  selector: `[aria-label^="Usage by"] tbody tr`,
});

const pages: readonly Shown[] = [
  { title: "overview", href: "/console", selector: `[aria-label="Requests today"]` },
  { title: "API keys", href: "/console/keys", selector: `[aria-label="API keys"] tbody tr` },
  {
    title: "API keys, search",
    href: "/console/keys?q=program+9999",
    selector: `[aria-label="API keys"] tbody tr`,
  },
  usage("30d", "model", "model"),
  usage("30d", "key", "API key"),
  usage("12m", "model", "model"),
  usage("12m", "key", "API key"),
  usage("12m", "member", "member"),
  { title: "billing", href: "/console/billing", selector: `[aria-label="Credit"] .figure` },
  { title: "models", href: "/console/models", selector: `[aria-label="Models"] tbody tr` },
  { title: "members", href: "/console/members", selector: `main table tbody tr` },
  { title: "audit", href: "/console/audit", selector: `main table tbody tr` },
];

/** Measures from the click on a link to the painted content, of each page, with its code loaded before. */
export async function* pageRows(page: Page): AsyncIterable<readonly Row[]> {
  for (const shown of pages) {
    const taken: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      await open(page, start);
      const ms = await open(page, shown);
      if (round > 0) taken.push(ms);
    }
    yield [toRow(shown.title, spread(taken, 0, "ms"), "<= 300 ms")];
  }
}

/** Another page, from which each is opened. */
const start: Shown = { title: "", href: "/console/playground", selector: `[aria-label="Message"]` };

/** @returns milliseconds */
function open(page: Page, { href, selector }: Shown): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const link = document.createElement("a");
    link.href = ${JSON.stringify(href)};
    document.body.append(link);
    const began = performance.now();
    link.click();
    link.remove();
    const frame = () => new Promise(requestAnimationFrame);
    while (document.querySelector(${JSON.stringify(selector)}) === null) {
      await frame();
      if (performance.now() - began > 30_000) throw new Error(${JSON.stringify(`${href} shows nothing`)});
    }
    await frame();
    return performance.now() - began;
  })()`);
}
