import { describe, expect } from "vitest";
import { builtInModel } from "../../kit/server/settings.js";
import { createKey } from "./create-key.js";
import { openAsMember, overflowOf } from "./members.js";
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

  test("says which key the console itself uses, and offers no rotation of it", async () => {
    const { page, problems } = await openConsole();
    await createKey(page, "laptop");
    const models = `fetch("/console/api/v1/models", { headers: { "x-hearth-console": "1" } })`;
    expect(await page.evaluate(`${models}.then(({ status }) => status)`)).toBe(200);
    await page.reload();
    const own = page.getByRole("row", { name: `console of ${owner.email}` });
    await own.getByText("used by the console, without a secret").waitFor();
    expect(await own.getByRole("button", { name: "Rotate" }).count()).toBe(0);
    await own.getByRole("button", { name: "Disable" }).waitFor();
    await page.getByRole("row", { name: "laptop" }).getByRole("button", { name: "Rotate" }).waitFor();
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

  test("sets what a key may use, its limits, expiry and addresses, and disables it", async () => {
    const { page, url, problems } = await openConsole();
    await openByLink(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("bounded");
    await dialog.getByRole("group", { name: "Endpoints" }).getByLabel("All endpoints").uncheck();
    await dialog.getByRole("group", { name: "Endpoints" }).getByLabel("models", { exact: true }).check();
    await dialog.getByText("Limits", { exact: true }).click();
    await dialog.getByLabel("Requests per minute", { exact: true }).fill("2");
    await dialog.getByLabel("Expires").fill("2099-12-31T23:59");
    await dialog.getByLabel("Addresses").fill("10.0.0.0/8 nonsense");
    await dialog.getByRole("button", { name: "Create key" }).click();
    expect(await dialog.getByRole("alert").textContent()).toContain("Addresses must be");
    await dialog.getByLabel("Addresses").fill("10.0.0.0/8 127.0.0.0/8");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const secret = (await dialog.getByLabel("API key").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("row", { name: "bounded" });
    await row.getByText("models on all models").waitFor();
    await row.getByText("2 requests/min · from 10.0.0.0/8, 127.0.0.0/8").waitFor();
    await row.getByText(/expires in \d+ years/).waitFor();
    expect(await statusWith(url, secret)).toBe(200);
    expect((await chatWith(url, secret)).status).toBe(403);
    await row.getByRole("button", { name: "Disable" }).click();
    await row.getByText("disabled").waitFor();
    expect(await statusWith(url, secret)).toBe(403);
    await row.getByRole("button", { name: "Enable" }).click();
    await row.getByText("active").waitFor();
    await row.getByRole("button", { name: "Edit" }).click();
    expect(await dialog.getByLabel("Requests per minute", { exact: true }).inputValue()).toBe("2");
    await dialog.getByLabel("Addresses").fill("10.0.0.0/8");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("2 requests/min · from 10.0.0.0/8", { exact: true }).waitFor();
    expect(await statusWith(url, secret)).toBe(403);
    await row.getByText("just now").first().waitFor();
    expect(problems).toEqual([]);
  });

  test("shows what a key has spent, and sets, changes and removes its budgets", async () => {
    const { page, url, problems } = await openConsole();
    await openByLink(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("spender");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const secret = (await dialog.getByLabel("API key").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("row", { name: "spender" });
    await row.getByRole("button", { name: /^(Set|Add) budget of spender$/ }).click();
    expect(await dialog.getByLabel("Period").inputValue()).toBe("month");
    await dialog.getByLabel("Period").selectOption("Each day");
    await dialog.getByLabel("Hard limit in tokens").fill("5");
    await dialog.getByRole("button", { name: "Create budget" }).click();
    await row.getByText("0 of 5 tokens").waitFor();
    expect((await chatWith(url, secret)).status).toBe(429);
    await row.getByRole("button", { name: "Change", exact: true }).click();
    await dialog.getByLabel("Hard limit in tokens").fill("100000");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("0 of 100,000 tokens").waitFor();
    const answer = await chatWith(url, secret);
    expect(answer.status).toBe(200);
    const { usage } = (await answer.json()) as { usage: { total_tokens: number } };
    await page.reload();
    await row.getByText(`${usage.total_tokens} of 100,000 tokens`).waitFor();
    await row
      .getByText(/^\$0\.0+[1-9]/)
      .first()
      .waitFor();
    await row.getByRole("button", { name: /^(Set|Add) budget of spender$/ }).click();
    await dialog.getByLabel("Hard limit in USD").fill("2.50");
    await dialog.getByRole("button", { name: "Create budget" }).click();
    await row.getByText(/ of \$2\.50$/).waitFor();
    await row.getByRole("button", { name: "Remove", exact: true }).first().click();
    await dialog.getByRole("button", { name: "Remove budget" }).click();
    await expect.poll(() => row.getByRole("button", { name: "Remove", exact: true }).count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test("lets a member make keys of their own and see what these spend, and set no budget", async () => {
    const opened = await openConsole();
    const page = await openAsMember(opened);
    await openByLink(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("of the member");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const secret = (await dialog.getByLabel("API key").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    const rows = page.getByRole("region", { name: "API keys" }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(1);
    expect((await chatWith(opened.url, secret)).status).toBe(200);
    await page.reload();
    await rows.getByText(/^\$0\.0+[1-9]/).waitFor();
    expect(await rows.getByRole("button", { name: /budget of/ }).count()).toBe(0);
    const status = await page.evaluate<number>(`(async () => {
      const headers = { "x-hearth-console": "1", "content-type": "application/json" };
      const { teams: [team] } = await (await fetch("/console/api/auth/teams", { headers })).json();
      const { apiKeys: [key] } = await (await fetch("/console/api/auth/teams/" + team.teamId + "/api-keys", { headers })).json();
      const body = JSON.stringify({ apiKeyId: key.apiKeyId, period: "day", budget: { hardTokens: "5" } });
      return (await fetch("/console/api/auth/teams/" + team.teamId + "/budgets", { method: "PUT", headers, body })).status;
    })()`);
    expect(status).toBe(403);
  });

  test.each(["light", "dark"] as const)("has no serious fault of accessibility (%s)", async (colorScheme) => {
    const { page } = await openConsole({ colorScheme });
    await openByLink(page, "API keys");
    await page
      .getByRole("button", { name: /^Set budget of/ })
      .first()
      .waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 380, height: 800 });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.getByRole("button", { name: "Create key" }).first().click();
    await expectAccessible(page);
  });
});

function chatWith(url: string, secret: string): Promise<Response> {
  const messages = [{ role: "user", content: "Hello!" }];
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: builtInModel, messages, max_tokens: 8 }),
  });
}

async function statusWith(url: string, key: string): Promise<number> {
  const { status } = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  return status;
}
