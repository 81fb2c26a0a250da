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

  test("shows many keys page by page, and finds one that is on no page yet by a search of the server", async () => {
    const managementKey = "management-key-of-a-test";
    const { page, url, problems } = await openConsole({
      environment: { HEARTH_MANAGEMENT_KEY: managementKey },
    });
    const headers = { authorization: `Bearer ${managementKey}`, "content-type": "application/json" };
    const teams = (await (await fetch(`${url}/auth/teams`, { headers })).json()) as {
      readonly teams: readonly { readonly teamId: string }[];
    };
    for (let index = 1; index <= 60; index++) {
      const body = JSON.stringify({ name: `program ${index}` });
      const path = `/auth/teams/${teams.teams[0]?.teamId}/api-keys`;
      expect((await fetch(url + path, { method: "POST", headers, body })).status).toBe(200);
    }
    await openByLink(page, "API keys");
    const rows = page.getByRole("region", { name: "API keys" }).locator("tbody").getByRole("row");
    await rows.nth(49).waitFor();
    expect(await rows.count()).toBe(50);
    expect(await rows.filter({ hasText: "program 60" }).count()).toBe(0);
    await page.keyboard.press("/");
    await page.keyboard.type("program 60");
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.textContent()).toContain("program 60");
    await page.getByLabel("Search keys").fill("");
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole("button", { name: "Show more" }).click();
    await rows.filter({ hasText: "program 60" }).waitFor();
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
