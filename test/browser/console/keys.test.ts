import { describe, expect } from "vitest";
import {
  expectAccessible,
  openByLink,
  openConsole,
  openSignIn,
  owner,
  setFirstPassword,
  test,
  withoutBrowser,
} from "./open-console.js";

describe(`the sign-in of the console${withoutBrowser}`, () => {
  test("takes the link of the first start, then e-mail and password", async () => {
    const { page, url, problems } = await openSignIn();
    await expectAccessible(page);
    await setFirstPassword(page);
    expect(page.url()).toBe(`${url}/console`);
    await page.getByLabel(`Signed in as ${owner.email}`).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByLabel("E-mail").fill(owner.email);
    await page.getByLabel("Password").fill("wrong password");
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("The e-mail or the password is wrong.");
    await page.getByLabel("Password").fill(owner.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe(`the page of API keys${withoutBrowser}`, () => {
  test("creates a key that works at once, rotates it and deletes it", async () => {
    const { page, url, problems } = await openConsole();
    await openByLink(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("laptop");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const secret = await dialog.getByLabel("API key").textContent();
    expect(secret).toMatch(/^hk-\w{50,}$/);
    expect(await statusWith(url, secret ?? "")).toBe(200);
    await dialog.getByRole("button", { name: "Done" }).click();

    const row = page.getByRole("row", { name: "laptop" });
    await row.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByLabel("The old secret stays valid for").selectOption("End at once");
    await dialog.getByRole("button", { name: "Rotate key" }).click();
    const rotated = await dialog.getByLabel("API key").textContent();
    expect(await statusWith(url, rotated ?? "")).toBe(200);
    await dialog.getByRole("button", { name: "Done" }).click();
    await row.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete key" }).click();
    await row.waitFor({ state: "detached" });
    expect(await statusWith(url, rotated ?? "")).toBe(401);
    expect(problems).toEqual([]);
  });

  test.each(["light", "dark"] as const)("has no serious fault of accessibility (%s)", async (colorScheme) => {
    const { page } = await openConsole({ colorScheme });
    await openByLink(page, "API keys");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create key" }).first().click();
    await expectAccessible(page);
  });
});

async function statusWith(url: string, key: string): Promise<number> {
  const { status } = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  return status;
}
