/**
 * `npm run screenshots`: makes the pictures of the console that README shows, src/docs/pictures/console-*.png, in Chromium: a server
 * with the built-in models, and a month of requests to its API, in about two minutes.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { root } from "./world/root.js";
import { launchChromium } from "../../test/kit/browser/chromium.js";
import { signInOwner } from "../../test/kit/browser/sign-in.js";
import { fetchJson } from "./world/ask.js";
import { chatBody, chatPath } from "./world/requests.js";
import { tinyModel } from "./world/server.js";
import { makeHistory } from "./screenshots/history.js";
import { startPictureServer } from "./screenshots/server.js";

const pictures = join(root, "src/docs/pictures");
const viewport = { width: 1440, height: 860 };
/** Colours of a picture: text and areas need few. */
const colours = 96;
const busyMs = 12_000;

const folder = mkdtempSync(join(tmpdir(), "hearth-screenshots-"));
mkdirSync(join(folder, "models"));
const server = await startPictureServer(folder);
const browser = await launchChromium();
try {
  const now = Date.now();
  const secrets = await makeHistory(server, now);
  const page = await browser.newPage({ viewport, colorScheme: "light", locale: "en-US" });
  await signInOwner(page, server.url, join(folder, "data"));
  await takeOverview(page, secrets);
  await takePlayground(page);
  await open(page, "keys", "API keys");
  await take(page, "keys");
  await page.goto(`${server.url}/console/usage?by=key`);
  await page.getByRole("region", { name: "Usage by API key" }).waitFor();
  await take(page, "usage");
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

async function open(page: Page, path: string, title: string): Promise<void> {
  await page.goto(`${server.url}/console/${path}`);
  await page.getByRole("heading", { name: title, level: 1 }).waitFor();
}

/** The overview while requests run. */
async function takeOverview(page: Page, [secret = ""]: readonly string[]): Promise<void> {
  await open(page, "overview", "Overview");
  const end = Date.now() + busyMs;
  const client = async (index: number): Promise<void> => {
    while (Date.now() < end) {
      const prompt = { model: tinyModel, text: `Please tell me a story about number ${index}.` };
      await fetchJson(server.url + chatPath, { key: secret, body: chatBody(prompt, 100) });
      await new Promise((resolve) => setTimeout(resolve, 300 * index));
    }
  };
  const clients = Promise.all([1, 2, 3, 4].map(client));
  await page.waitForTimeout(busyMs - 1000);
  await take(page, "overview");
  await clients;
}

async function takePlayground(page: Page): Promise<void> {
  await open(page, "playground", "Playground");
  const message = page.getByRole("textbox", { name: "Message" });
  const figures = page.getByText(/ tokens\/s$/);
  await page.getByLabel("Images", { exact: true }).setInputFiles({
    name: "circle.png",
    mimeType: "image/png",
    buffer: await redCircle(),
  });
  await message.fill("What is in the image?");
  await page.keyboard.press("Enter");
  await figures.nth(0).waitFor();
  await message.fill("What is 3 plus 4?");
  await page.keyboard.press("Enter");
  await figures.nth(1).waitFor();
  await take(page, "playground");
}

async function take(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  const taken = await page.screenshot({ animations: "disabled" });
  const small = await sharp(taken)
    .png({ palette: true, colours, effort: 10, compressionLevel: 9 })
    .toBuffer();
  writeFileSync(join(pictures, `console-${name}.png`), small);
  process.stdout.write(`console-${name}.png  ${(small.length / 1000).toFixed(1)} kB\n`);
}

/** Returns a picture as the built-in captioner knows them. */
function redCircle(): Promise<Buffer> {
  const [size, radius] = [128, 40];
  const pixels = Buffer.alloc(size * size * 3, 255);
  for (let at = 0; at < size * size; at += 1) {
    const [x, y] = [(at % size) - size / 2, Math.floor(at / size) - size / 2];
    if (x * x + y * y <= radius * radius) pixels.set([220, 30, 30], at * 3);
  }
  return sharp(pixels, { raw: { width: size, height: size, channels: 3 } })
    .png()
    .toBuffer();
}
