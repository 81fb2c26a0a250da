import http from "node:http";
import type { Page } from "playwright-core";
import { endStream, listen, sendDelta, startStream } from "../../world/http-server.js";
import { quantile, toRow, type Row } from "../../figures/table.js";

const [tokensPerSecond, seconds] = [50, 10];
const paragraph = "Some **bold** text with `code`, and a [link](https://example.com/).\n\n- one\n- two\n\n";

/** Measures the tasks of the page's thread while an answer with a long beginning grows in the playground. */
export async function streamRows(page: Page, url: string): Promise<readonly Row[]> {
  const server = await startTokens();
  await page.goto(`${url}/console/playground`);
  await page.getByRole("textbox", { name: "Message" }).fill("Write a long text.");
  await page.route("**/console/api/v1/chat/completions", (route) => route.continue({ url: server.url }));
  await page.evaluate(`
    window.tasks = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: "longtask" });`);
  await page.keyboard.press("Enter");
  await page.getByText("The end of it.").waitFor();
  const tasks = await page.evaluate<readonly number[]>("tasks");
  server.close();
  const longest = tasks.length === 0 ? "below 50 ms" : `${quantile(tasks, 1).toFixed(0)} ms`;
  return [
    toRow(`longest task, ${tokensPerSecond} tokens/s for ${seconds} s`, longest, "<= 200 ms"),
    toRow("tasks over 50 ms", String(tasks.length)),
  ];
}

async function startTokens(): Promise<{ readonly url: string; close(): void }> {
  const server = http.createServer((_req, res) => {
    const send = (content: string): void => sendDelta(res, { content });
    startStream(res);
    send(paragraph.repeat(60));
    let sent = 0;
    const timer = setInterval(() => {
      send("word ");
      if (++sent < tokensPerSecond * seconds) return;
      clearInterval(timer);
      send("\n\nThe end of it.");
      endStream(res);
    }, 1000 / tokensPerSecond);
    res.on("close", () => clearInterval(timer));
  });
  return {
    url: `${await listen(server)}/v1/chat/completions`,
    close: () => void server.close().closeAllConnections(),
  };
}
