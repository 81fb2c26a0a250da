import { describe, expect } from "vitest";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "./open-console.js";

describe(`the page of members${withoutBrowser}`, () => {
  test("adds a member, whose link works once and who then sees only what a member may", async () => {
    const { page, problems } = await openConsole();
    await openByLink(page, "Members");
    await page.getByRole("button", { name: "Add member" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail").fill("ada@example.com");
    await dialog.getByRole("button", { name: "Add member" }).click();
    const link = (await dialog.getByLabel("Sign-in link").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("row", { name: "ada@example.com" }).waitFor();
    expect(problems).toEqual([]);

    await page.context().clearCookies();
    await page.goto(link);
    // The address differs in what follows `#` only.
    await page.reload();
    await page.getByLabel("New password").fill("another long password");
    await page.getByRole("button", { name: "Set password and sign in" }).click();
    await openByLink(page, "Members");
    await page.getByRole("row", { name: "ada@example.com" }).waitFor();
    expect(await page.getByRole("button", { name: "Add member" }).count()).toBe(0);
    expect(await page.getByRole("heading", { name: "Teams" }).count()).toBe(0);
  });

  test("creates a team, which can then be chosen, and blocks it", async () => {
    const { page, problems } = await openConsole();
    await openByLink(page, "Members");
    await page.getByRole("button", { name: "Create team" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("research");
    await page.getByRole("dialog").getByRole("button", { name: "Create team" }).click();
    const row = page.getByRole("row", { name: "research" });
    await row.getByRole("button", { name: "Block" }).click();
    await row.getByText("blocked").waitFor();
    await page.getByLabel("Team", { exact: true }).selectOption("research");
    await page.getByText("The team research has no members yet").waitFor();
    expect(problems).toEqual([]);
  });
});

describe(`the page of the audit log${withoutBrowser}`, () => {
  test.each(["light", "dark"] as const)(
    "finds an event and shows what it changed, accessibly (%s)",
    async (colorScheme) => {
      const { page, problems } = await openConsole({ colorScheme });
      await openByLink(page, "Members");
      await expectAccessible(page);
      await openByLink(page, "Audit");
      // The rows before the search are gone then.
      const found = page.waitForResponse((response) => response.url().includes("eventFilter.query="));
      await page.getByLabel("Search events").fill("API key");
      await found;
      const row = page.getByRole("row", { name: /Created the API key/ }).first();
      await row.getByText("fields").click();
      await row.getByText("aclStrings").or(row.getByText("acls")).first().waitFor();
      await expectAccessible(page);
      expect(problems).toEqual([]);
    },
  );
});
