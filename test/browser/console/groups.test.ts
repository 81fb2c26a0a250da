import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { ask } from "./create-key.js";
import { openAsMember, overflowOf } from "./members.js";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "./open-console.js";

/** Creates a group of chats with the built-in model. */
async function createGroup(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Create group" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("All endpoints").uncheck();
  await dialog.getByRole("checkbox", { name: "chat", exact: true }).check();
  await dialog.getByRole("checkbox", { name: builtInModel, exact: true }).check();
  await dialog.getByRole("button", { name: "Create group" }).click();
  await page.getByRole("row", { name }).waitFor();
}

async function embed(url: string, secret: string): Promise<number> {
  const answer = await fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "hearth-embed-1m", input: "Hello!" }),
  });
  return answer.status;
}

describe(`access groups in the console${withoutBrowser}`, () => {
  test("are created, given to a key, changed at its next request, and deleted when nothing has them", async () => {
    const { page, url, problems } = await openConsole();
    await openByLink(page, "Access groups");
    await page.getByRole("heading", { name: "No access groups yet" }).waitFor();
    await createGroup(page, "small-models");
    const row = page.getByRole("row", { name: "small-models" });
    expect((await row.getByRole("cell").allTextContents()).slice(1, 3)).toEqual(["chat", builtInModel]);

    await openByLink(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("laptop");
    await dialog.getByLabel("All endpoints").uncheck();
    await dialog.getByLabel("All models").uncheck();
    await dialog.getByRole("checkbox", { name: "small-models" }).check();
    await dialog.getByRole("button", { name: "Create key" }).click();
    const secret = (await dialog.getByLabel("API key").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("row", { name: "laptop" }).getByText("what small-models has").waitFor();
    expect([(await ask(url, secret)).status, await embed(url, secret)]).toEqual([200, 403]);

    await openByLink(page, "Access groups");
    await row.getByRole("button", { name: "Edit small-models" }).click();
    await dialog.getByLabel("Description").fill("for laptops");
    await dialog.getByLabel("All endpoints").check();
    await dialog.getByLabel("All models").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("for laptops").waitFor();
    expect(await embed(url, secret)).toBe(200);

    await row.getByRole("button", { name: "Delete small-models" }).click();
    await dialog.getByRole("button", { name: "Delete group" }).click();
    await dialog.getByText("1 API key has the ACL api-key:group:small-models").waitFor();
    await page.keyboard.press("Escape");
    await openByLink(page, "API keys");
    await page.getByRole("row", { name: "laptop" }).getByRole("button", { name: "Edit" }).click();
    await dialog.getByRole("checkbox", { name: "small-models" }).uncheck();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: "laptop" }).getByText("nothing").waitFor();
    await openByLink(page, "Access groups");
    await row.getByRole("button", { name: "Delete small-models" }).click();
    await dialog.getByRole("button", { name: "Delete group" }).click();
    await page.getByRole("heading", { name: "No access groups yet" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("bound what all keys of a team may do, as the team's list of what it allows", async () => {
    const { page, url, problems } = await openConsole();
    expect(await embedWithPinnedKey(url)).toBe(200);
    await openByLink(page, "Access groups");
    await createGroup(page, "small-models");
    await openByLink(page, "Members");
    const row = page.getByRole("region", { name: "Teams" }).getByRole("row", { name: "default" });
    await row.getByText("everything").waitFor();
    await row.getByRole("button", { name: "Allow" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Everything").uncheck();
    await dialog.getByLabel("All endpoints").uncheck();
    await dialog.getByLabel("All models").uncheck();
    await dialog.getByRole("checkbox", { name: "small-models" }).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("what small-models has").waitFor();
    expect(await embedWithPinnedKey(url)).toBe(403);
    expect((await ask(url)).status).toBe(200);
    await row.getByRole("button", { name: "Allow" }).click();
    expect(await dialog.getByRole("checkbox", { name: "small-models" }).isChecked()).toBe(true);
    await dialog.getByLabel("Everything").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("everything").waitFor();
    expect(await embedWithPinnedKey(url)).toBe(200);
    expect(problems).toEqual([]);
  });

  test("can be managed by the keyboard alone", async () => {
    const { page, problems } = await openConsole();
    await page.keyboard.press("g");
    await page.keyboard.press("g");
    await page.getByRole("heading", { name: "Access groups", level: 1 }).waitFor();
    await tabTo(page, "button", "Create group");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("everything-small");
    await dialog.getByRole("checkbox", { name: builtInModel, exact: true }).waitFor();
    await tabTo(page, "checkbox", builtInModel);
    await page.keyboard.press("Space");
    await tabTo(page, "button", "Create group", "dialog");
    await page.keyboard.press("Enter");
    const row = page.getByRole("row", { name: "everything-small" });
    await row.getByText(builtInModel).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
    await tabTo(page, "button", "Create key");
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Name").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("by keyboard");
    await dialog.getByRole("checkbox", { name: "everything-small" }).waitFor();
    await tabTo(page, "checkbox", "everything-small");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await dialog.getByLabel("API key").waitFor();
    await page.keyboard.press("Escape");
    const created = page.getByRole("row", { name: "by keyboard" });
    await created.getByText("everything, and what everything-small has").waitFor();
    expect(problems).toEqual([]);
  });

  test("cannot be changed by a member, who can give them to keys of their own", async () => {
    const opened = await openConsole();
    await openByLink(opened.page, "Access groups");
    await createGroup(opened.page, "small-models");
    const page = await openAsMember(opened);
    const pages = page.getByRole("navigation", { name: "Pages" });
    expect(await pages.getByRole("link", { name: "Access groups" }).count()).toBe(0);
    const status = await page.evaluate<number>(`(async () => {
      const headers = { "x-hearth-console": "1", "content-type": "application/json" };
      const body = JSON.stringify({ name: "forged", acls: ["api-key:endpoint:*"] });
      return (await fetch("/console/api/auth/access-groups", { method: "POST", headers, body })).status;
    })()`);
    expect(status).toBe(403);
    await openByLink(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByRole("dialog").getByRole("checkbox", { name: "small-models" }).waitFor();
  });

  test.each(["light", "dark"] as const)(
    "have no serious fault of accessibility, and fit a small screen (%s)",
    async (colorScheme) => {
      const { page, url, problems } = await openConsole({ colorScheme });
      await page.setViewportSize({ width: 380, height: 800 });
      await page.goto(`${url}/console/groups`);
      await page.getByRole("heading", { name: "No access groups yet" }).waitFor();
      await expectAccessible(page);
      await createGroup(page, "a-group-whose-name-is-as-long-as-the-name-of-a-group-may-ever-be");
      await expectAccessible(page);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await page.getByRole("button", { name: /^Edit/ }).click();
      await page.getByRole("dialog").getByRole("checkbox", { name: builtInModel, exact: true }).waitFor();
      await expectAccessible(page);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(problems).toEqual([]);
    },
  );
});

function embedWithPinnedKey(url: string): Promise<number> {
  return embed(url, testKey);
}

/** Presses Tab until an element has the focus. @param within CSS selector of what it is in */
async function tabTo(page: Page, role: "button" | "checkbox", name: string, within = "body"): Promise<void> {
  const target = page.locator(within).getByRole(role, { name, exact: true }).first();
  await target.waitFor();
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press("Tab");
    if ((await target.and(page.locator(":focus")).count()) > 0) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}
