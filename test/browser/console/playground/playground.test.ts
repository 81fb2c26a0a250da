import type { Page, Route } from "playwright-core";
import { describe, expect } from "vitest";
import { dropImage, redCircle } from "./dropped-file.js";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "../open-console.js";
import { startTokenServer } from "./token-server.js";

/** CPU time of a task: a limit for a busy machine, not a measure of speed. 121 ms were measured with a long answer. */
const taskMsMax = 1000;
const completions = "**/console/api/v1/chat/completions";

describe(`the playground${withoutBrowser}`, () => {
  test("streams an answer with its figures, and keeps the conversation while another page is open", async () => {
    const { page, problems } = await openPlayground();
    await ask(page, "Hello!");
    const answer = page.getByRole("article", { name: "Answer of hearth-tiny-5m" });
    await answer
      .getByText(/^\d+ prompt tokens \(\d+ cached\) · \d+ completion tokens .* tokens\/s$/)
      .waitFor();
    await openByLink(page, "API keys");
    await openByLink(page, "Playground");
    await page.getByRole("article", { name: "Your message" }).getByText("Hello!").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Edited message").fill("Count to three.");
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    expect(await page.getByRole("article", { name: "Your message" }).count()).toBe(1);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("heading", { name: "Try a model" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("sends the results of the calls that the model makes", async () => {
    const { page, problems } = await openPlayground();
    const tool = { type: "function", function: { name: "get_weather", parameters: { type: "object" } } };
    await page.getByText("Tools", { exact: true }).click();
    await page.getByLabel("Tools (JSON)").fill("[{");
    await page.getByText("This is not valid JSON", { exact: false }).waitFor();
    await page.getByLabel("Tools (JSON)").fill(JSON.stringify([tool]));
    const call = { index: 0, id: "c1", type: "function", function: { name: "get_weather", arguments: "{}" } };
    await answerWith(page, [{ reasoning_content: "I look." }, { tool_calls: [call] }]);
    await ask(page, "Is it raining?");
    await page.getByLabel("Result of get_weather").fill("yes");
    await answerWith(page, [{ content: "It rains." }]);
    const [sent] = await Promise.all([
      page.waitForRequest(completions),
      page.getByRole("button", { name: "Send result" }).click(),
    ]);
    expect(sent.postDataJSON()).toMatchObject({
      tools: [tool],
      messages: [
        { role: "user", content: "Is it raining?" },
        { role: "assistant", tool_calls: [{ id: "c1", function: { name: "get_weather", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "c1", content: "yes" },
      ],
    });
    await page.getByText("It rains.").waitFor();
    expect(problems).toEqual([]);
  });

  test("E12: runs nothing that an answer or the name of a file contains, and loads nothing", async () => {
    const { page, problems, url } = await openPlayground();
    const foreign: string[] = [];
    page.on("request", (request) => !/^(data:|blob:)/.test(request.url()) && foreign.push(request.url()));
    await answerWith(
      page,
      [...hostile].map((content) => ({ content })),
    );
    await page.getByLabel("Images", { exact: true }).setInputFiles({
      name: `<img src=x onerror="window.ran=1">.png`,
      mimeType: "image/png",
      buffer: await redCircle(),
    });
    await ask(page, "<script>window.ran=1</script>");
    await page.getByText("The end of it.").waitFor();
    const answer = page.getByRole("article", { name: "Answer of hearth-tiny-5m" });
    const elements =
      "img, script, iframe, svg, style, form, input, object, [onerror], [onclick], [style], [id]";
    expect(await answer.locator(elements).count()).toBe(0);
    expect(await page.getByRole("log").locator("script, [onerror]").count()).toBe(0);
    const links: (string | null)[][] = [];
    for (const link of await answer.getByRole("link").all())
      links.push(await Promise.all(["href", "target", "rel"].map((name) => link.getAttribute(name))));
    expect(links).toEqual([
      ["https://example.com/", "_blank", "noreferrer"],
      ["https://example.com/cat.png", "_blank", "noreferrer"],
    ]);
    await answer.getByText("<script>window.ran=1</script>", { exact: true }).waitFor();
    expect(await page.evaluate("window.ran")).toBeUndefined();
    expect(foreign.filter((each) => !each.startsWith(url))).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("sends an image that is dropped on it to the captioner", async () => {
    const { page, problems } = await openPlayground();
    const dropped = await redCircle();
    await dropImage(page, dropped);
    const [sent] = await Promise.all([page.waitForRequest(completions), ask(page, "What is in the image?")]);
    const image = {
      type: "image_url",
      image_url: { url: `data:image/png;base64,${dropped.toString("base64")}` },
    };
    expect(sent.postDataJSON()).toMatchObject({ messages: [{ role: "user", content: [image, {}] }] });
    await page
      .getByRole("article", { name: "Answer of hearth-tiny-5m" })
      .getByText(/circle/)
      .waitFor();
    expect(problems).toEqual([]);
  });

  test("generates images, and offers them for download", async () => {
    const { page, problems } = await openPlayground();
    await page.getByRole("link", { name: "Images" }).click();
    await page.getByLabel("Prompt").fill("a red circle on white");
    await page.getByLabel("Number of images").fill("2");
    await page.getByRole("button", { name: "Generate" }).click();
    const image = page.getByRole("img", { name: "a red circle on white" });
    await image.nth(1).waitFor();
    expect(await image.first().getAttribute("src")).toMatch(/^data:image\/png;base64,iVBOR/);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).first().click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^image-\d+\.png$/);
    expect(problems).toEqual([]);
  });

  test.each(["light", "dark"] as const)("has no serious fault of accessibility (%s)", async (colorScheme) => {
    const { page } = await openPlayground({ colorScheme });
    await answerWith(page, [{ reasoning_content: "I think." }, { content: plain }]);
    await ask(page, "Hello!");
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    for (const title of ["Sampling", "Tools", "Response schema"])
      await page.getByText(title, { exact: true }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Code", exact: true }).click();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Images" }).click();
    await page.getByLabel("Prompt").waitFor();
    await expectAccessible(page);
  });
});

describe(`a growing answer of the playground${withoutBrowser}`, () => {
  test("keeps the page responsive at 50 tokens a second, and Escape stops it", async () => {
    const { page, problems } = await openPlayground();
    const server = await startTokenServer({ before: plain.repeat(120), token: "word ", everyMs: 20 });
    await page.route(completions, (route) => route.continue({ url: server.url }));
    const tasks = await traceTasks(page);
    await ask(page, "Write a long text.");
    await server.sent(150);
    await page.keyboard.press("Escape");
    await page.getByText("Stopped.").waitFor();
    await server.left;
    const answer = page.getByRole("article", { name: "Answer of hearth-tiny-5m" });
    const words = async () => (await answer.textContent())?.match(/word /g)?.length;
    await expect.poll(words, { timeout: 10_000 }).toBeGreaterThan(140);
    const ms = await tasks();
    expect(ms.length).toBeGreaterThan(100);
    expect(ms.filter((each) => each > taskMsMax)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("is followed to its end until the member scrolls up", async () => {
    const { page } = await openPlayground();
    const server = await startTokenServer({ before: plain.repeat(10), token: "\n\nword", everyMs: 20 });
    await page.route(completions, (route) => route.continue({ url: server.url }));
    await ask(page, "Write a long text.");
    await server.sent(20);
    await expect.poll(async () => (await scrollOf(page)).below).toBeLessThan(48);
    await page.getByRole("log").hover();
    await page.mouse.wheel(0, -400);
    await expect.poll(async () => (await scrollOf(page)).below).toBeGreaterThan(200);
    const { top, height } = await scrollOf(page);
    await expect.poll(async () => (await scrollOf(page)).height).toBeGreaterThan(height + 100);
    expect((await scrollOf(page)).top).toBe(top);
  });
});

const plain = `## Title

Some **bold** text with \`code\`, and a [link](https://example.com/).

- one
- two

\`\`\`js
const answer = 42;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

`;

const hostile = [
  `<img src=x onerror="window.ran=1"> and <script>window.ran=1</script>\n\n`,
  `<svg onload=window.ran=1></svg><iframe srcdoc="<script>parent.ran=1</script>"></iframe>\n\n`,
  `<form action=/console/api/session><input name=x></form><style>* { color: red }</style>\n\n`,
  `[link](javascript:window.ran=1) [data](data:text/html,<script>window.ran=1</script>) [vb](vbscript:x)\n\n`,
  `[own](/console/api/session) [good](https://example.com/ "x onclick=window.ran=1")\n\n`,
  `![cat" onerror="window.ran=1](https://example.com/cat.png)\n\n`,
  "```html\n<script>window.ran=1</script>\n```\n\n",
  `- [x] <div id=console style="position:fixed">done</div>\n\n`,
  `The end of it.`,
];

async function openPlayground(options: Parameters<typeof openConsole>[0] = {}) {
  const opened = await openConsole(options);
  await openByLink(opened.page, "Playground");
  await opened.page.getByRole("textbox", { name: "Message" }).waitFor();
  return opened;
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

/** Lets the next answers be a stream of these parts, in place of the model's. */
async function answerWith(page: Page, deltas: readonly object[]): Promise<void> {
  const frames = deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
  const body = `${frames.join("")}data: [DONE]\n\n`;
  await page.unroute(completions);
  await page.route(completions, (route: Route) => route.fulfill({ contentType: "text/event-stream", body }));
}

/**
 * Records the tasks of the page's thread.
 * @returns ends the recording, and returns the CPU time of each in milliseconds: the time of a clock depends on what else the machine does
 */
async function traceTasks(page: Page): Promise<() => Promise<readonly number[]>> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("the page has no browser");
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  return async () => {
    const trace = JSON.parse((await browser.stopTracing()).toString()) as {
      readonly traceEvents: readonly { readonly name: string; readonly tdur?: number }[];
    };
    return trace.traceEvents.flatMap(({ name, tdur }) =>
      name === "RunTask" && tdur !== undefined ? [tdur / 1000] : [],
    );
  };
}

interface Scroll {
  readonly top: number;
  readonly height: number;
  /** What is below the visible part. */
  readonly below: number;
}

/** Returns in pixels where the conversation is scrolled to. */
function scrollOf(page: Page): Promise<Scroll> {
  return page.evaluate<Scroll>(`
    const { scrollTop: top, scrollHeight: height, clientHeight } = document.querySelector("[role=log]");
    ({ top, height, below: height - top - clientHeight });`);
}
