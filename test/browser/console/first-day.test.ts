import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished } from "vitest";
import { root, temporaryFolder } from "../../kit/folder.js";
import { startProcess } from "../../kit/program.js";
import { builtInModel } from "../../kit/server/settings.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { ask, createKey } from "./create-key.js";
import { dropImage, redCircle } from "./playground/dropped-file.js";
import {
  openByLink,
  openPage,
  owner,
  problemsOf,
  setFirstPassword,
  test,
  withoutBrowser,
} from "./open-console.js";

const weights = readFileSync(join(root, "models/hearth-tiny-5m/hearth-tiny-5m.gguf"));
const bytesPerSecond = 1_500_000;
/** A limit for a busy machine, not a measure of speed. */
const flowMsMax = 180_000;

/** The request of a command line of curl. */
function requestOf(command: string): { readonly url: string; readonly init: RequestInit } {
  const [, url = ""] = /^curl (\S+)/.exec(command) ?? [];
  const headers = [...command.matchAll(/-H "([^:"]+): ([^"]+)"/g)].map(
    ([, name = "", value = ""]): [string, string] => [name, value],
  );
  const [, body = ""] = /-d '(.*)'$/.exec(command) ?? [];
  return { url, init: { method: "POST", headers, body } };
}

/** Sends the first request as the overview shows it. @returns the command with the key in it */
async function useKey(page: Page, secret: string): Promise<string> {
  await openByLink(page, "Overview");
  const shown = (await page.getByLabel("Command of a first request").textContent()) ?? "";
  const command = shown.replace("YOUR_KEY", secret);
  const { url, init } = requestOf(command);
  const response = await fetch(url, init);
  expect([response.status, await response.json()]).toMatchObject([200, { object: "chat.completion" }]);
  await openByLink(page, "Usage");
  await page.getByLabel("Stacked by").selectOption("API key");
  await page
    .getByRole("region", { name: "Usage by API key" })
    .getByRole("row", { name: /laptop.* 1 / })
    .waitFor();
  return command;
}

/** Gives the key a budget of a few tokens for a day, and sends requests until it is exceeded. */
async function exceedBudget(page: Page, command: string): Promise<void> {
  await openByLink(page, "Billing");
  await page.getByRole("button", { name: "Create budget" }).click();
  const dialog = page.getByRole("dialog");
  const key = dialog.getByLabel("API key", { exact: true });
  const option = key.getByRole("option", { name: /^laptop/ });
  await option.waitFor({ state: "attached" });
  await key.selectOption((await option.getAttribute("value")) ?? "");
  await dialog.getByLabel("Period").selectOption("Each day");
  await dialog.getByLabel("Hard limit in tokens").fill("1");
  await dialog.getByRole("button", { name: "Create budget" }).click();
  await page.getByRole("row", { name: /laptop/ }).waitFor();
  const { url, init } = requestOf(command);
  const response = await fetch(url, init);
  const { error } = (await response.json()) as { error: { message: string } };
  expect(response.status).toBe(429);
  expect(error.message).toMatch(/Budget exceeded: .* It resets at \d{4}-\d\d-\d\dT00:00:00/);
  await page
    .getByRole("row", { name: /laptop/ })
    .getByRole("button", { name: "Remove" })
    .click();
  await dialog.getByRole("button", { name: "Remove budget" }).click();
  await page.getByRole("heading", { name: "No budgets" }).waitFor();
}

async function addCredit(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add credit" }).click();
  await dialog.getByLabel("Amount in USD").fill("25");
  await dialog.getByRole("button", { name: "Add credit" }).click();
  await page.getByRole("region", { name: "Credit", exact: true }).getByText("$25.00").waitFor();
}

/** Chats, asks about an image that is dropped, and draws one. */
async function useModels(page: Page): Promise<void> {
  await openByLink(page, "Playground");
  const message = page.getByRole("textbox", { name: "Message" });
  const answers = page.getByRole("article", { name: `Answer of ${builtInModel}` });
  await message.fill("Hello!");
  await page.keyboard.press("Enter");
  await answers.getByText(/ tokens\/s$/).waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await dropImage(page, await redCircle());
  await message.fill("What is in the image?");
  await page.keyboard.press("Enter");
  await answers.getByText(/circle/).waitFor();
  await page.getByRole("link", { name: "Images" }).click();
  await page.getByLabel("Prompt").fill("a red circle on white");
  await page.getByRole("button", { name: "Generate" }).click();
  await page.getByRole("img", { name: "a red circle on white" }).waitFor();
}

async function pullModel(page: Page): Promise<void> {
  await openByLink(page, "Models");
  await page.getByRole("button", { name: "Add model" }).click();
  await page.getByRole("dialog").getByLabel("Model", { exact: true }).fill("acme/small");
  await page.getByRole("dialog").getByRole("button", { name: "Download" }).click();
  const bar = page.getByRole("progressbar", { name: "Download of acme/small" });
  await bar.and(page.locator(":not([value='0'])")).waitFor();
  await page.getByRole("region", { name: "Models" }).getByRole("row", { name: "small-q8_0" }).waitFor();
}

/** Begins an answer of thousands of tokens, and cancels it. */
async function cancelRequest(page: Page, url: string, secret: string): Promise<void> {
  const schema = { type: "string", minLength: 20_000 };
  const response = await ask(url, secret, {
    messages: [{ role: "user", content: "Write a long text." }],
    max_tokens: undefined,
    stream: true,
    response_format: { type: "json_schema", json_schema: { name: "text", strict: true, schema } },
  });
  expect(response.status).toBe(200);
  const cancelled = await page.evaluate<{ readonly status: string }>(`(async () => {
    const send = (path, method) =>
      fetch("/console/api/admin/requests" + path, { method, headers: { "x-hearth-console": "1" } })
        .then((answer) => answer.json());
    const [{ id }] = (await send("?status=running", "GET")).requests;
    return send("/" + id + "/cancel", "POST");
  })()`);
  expect(cancelled).toMatchObject({ status: "cancelled" });
  expect(await response.text()).toContain("has cancelled the request");
}

async function endKey(page: Page, url: string, secret: string): Promise<void> {
  const statusWith = async (key: string) =>
    (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
  await openByLink(page, "API keys");
  const dialog = page.getByRole("dialog");
  const row = page.getByRole("row", { name: "laptop" });
  await row.getByRole("button", { name: "Rotate" }).click();
  await dialog.getByLabel("The old secret stays valid for").selectOption("End at once");
  await dialog.getByRole("button", { name: "Rotate key" }).click();
  const rotated = (await dialog.getByLabel("API key").textContent()) ?? "";
  expect([await statusWith(secret), await statusWith(rotated)]).toEqual([401, 200]);
  await dialog.getByRole("button", { name: "Done" }).click();
  await row.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete key" }).click();
  await row.waitFor({ state: "detached" });
  expect(await statusWith(rotated)).toBe(401);
}

describe(`the first day of an owner of a new server${withoutBrowser}`, () => {
  test(
    "leads from the printed link through keys, usage, a budget, credit, models and images to the sign-out",
    async () => {
      const hub = await startHub({ "small-Q8_0.gguf": weights });
      onTestFinished(() => void (hub.behaviour.bytesPerSecond = 0));
      hub.behaviour.bytesPerSecond = bytesPerSecond;
      const folder = temporaryFolder();
      mkdirSync(join(folder, "models"));
      const [server, page] = await Promise.all([
        startProcess({ HEARTH_MODELS: join(folder, "models"), HF_ENDPOINT: hub.url, HOME: folder }),
        openPage({}),
      ]);
      const problems = problemsOf(page);
      await page.goto(await server.line(/^(http\S+#link=\S+)$/));
      await setFirstPassword(page);
      const secret = await createKey(page, "laptop");
      const command = await useKey(page, secret);
      await exceedBudget(page, command);
      await addCredit(page);
      await useModels(page);
      await pullModel(page);
      await cancelRequest(page, server.url, secret);
      await endKey(page, server.url, secret);
      await page.getByLabel(`Signed in as ${owner.email}`).click();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.getByLabel("Password").waitFor();
      const session = `fetch("/console/api/session", { headers: { "x-hearth-console": "1" } }).then(({ status }) => status)`;
      expect(await page.evaluate(session)).toBe(401);
      expect(problems).toEqual([]);
    },
    flowMsMax,
  );
});
