/** API keys, made in the page, and requests with them. */
import type { Page } from "playwright-core";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { openByLink } from "./open-console.js";

/** Creates a key in the page of API keys. @returns its secret */
export async function createKey(page: Page, name: string): Promise<string> {
  await openByLink(page, "API keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create key" }).click();
  const secret = (await dialog.getByLabel("API key").textContent()) ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  return secret;
}

/** Sends a chat request. @param fields replace the fields of a greeting */
export function ask(url: string, secret = testKey, fields: object = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: builtInModel,
      messages: [{ role: "user", content: "Hello!" }],
      max_tokens: 8,
      ...fields,
    }),
  });
}
