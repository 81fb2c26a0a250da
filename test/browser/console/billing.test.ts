import { describe, expect } from "vitest";
import { ask, createKey } from "./create-key.js";
import { overflowOf } from "./members.js";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "./open-console.js";

describe(`the page of billing${withoutBrowser}`, () => {
  test("adds credit to the cent, and sets the monthly limits", async () => {
    const { page, problems } = await openConsole();
    await openByLink(page, "Billing");
    const dialog = page.getByRole("dialog");
    const figure = (name: string) => page.getByRole("region", { name, exact: true });
    await page.getByRole("button", { name: "Add credit" }).click();
    await dialog.getByLabel("Amount in USD").fill("12.345");
    await dialog.getByRole("button", { name: "Add credit" }).click();
    expect(await dialog.getByRole("alert").textContent()).toContain("Amount in USD");
    await dialog.getByLabel("Amount in USD").fill("4567.89");
    await dialog.getByRole("button", { name: "Add credit" }).click();
    await figure("Credit").getByText("$4,567.89").waitFor();
    const row = page.getByRole("row", { name: "Credit added" });
    expect(await row.getByRole("cell").last().textContent()).toBe("+$4,567.89");

    await page.getByRole("button", { name: "Change hard limit" }).click();
    await dialog.getByLabel("Limit in USD").fill("100");
    await dialog.getByRole("button", { name: "Save" }).click();
    await figure("Hard limit").getByText("$100.00").waitFor();
    await page.getByRole("button", { name: "Change hard limit" }).click();
    await dialog.getByLabel("Limit in USD").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await figure("Hard limit").getByText("None").waitFor();
    expect(problems).toEqual([]);
  });

  test("sets a budget of a key, shows that it is spent, changes it and removes it", async () => {
    const { page, url, problems } = await openConsole();
    const secret = await createKey(page, "bounded");
    await openByLink(page, "Billing");
    await page.getByRole("button", { name: "Create budget" }).click();
    const dialog = page.getByRole("dialog");
    const key = dialog.getByLabel("API key", { exact: true });
    const option = key.getByRole("option", { name: /^bounded/ });
    await option.waitFor({ state: "attached" });
    await key.selectOption((await option.getAttribute("value")) ?? "");
    await dialog.getByLabel("Period").selectOption("Each day");
    await dialog.getByLabel("Hard limit in tokens").fill("60");
    await dialog.getByLabel("Soft limit in tokens").fill("5");
    await dialog.getByRole("button", { name: "Create budget" }).click();
    const row = page.getByRole("row", { name: /bounded/ });
    await row.getByText("within").waitFor();

    const statuses: number[] = [];
    while (statuses.length < 20 && statuses.at(-1) !== 429) statuses.push((await ask(url, secret)).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
    await page.reload();
    await row.getByText("soft limit reached").waitFor();
    expect(Number(await row.getByRole("progressbar").getAttribute("value"))).toBeGreaterThan(100);

    await row.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Hard limit in tokens").fill("100000");
    await dialog.getByLabel("Soft limit in tokens").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText(/ of 100,000 tokens/).waitFor();
    expect((await ask(url, secret)).status).toBe(200);
    await row.getByRole("button", { name: "Remove" }).click();
    await dialog.getByRole("button", { name: "Remove budget" }).click();
    await page.getByRole("heading", { name: "No budgets" }).waitFor();
    expect(problems).toEqual([]);
  });

  test.each(["light", "dark"] as const)(
    "has no serious fault of accessibility, and fits a small screen (%s)",
    async (colorScheme) => {
      const { page, url } = await openConsole({ colorScheme });
      await page.setViewportSize({ width: 380, height: 800 });
      await page.goto(`${url}/console/billing`);
      await page.getByRole("button", { name: "Create budget" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Budget of").selectOption("The team");
      await dialog.getByLabel("Hard limit in USD").fill("12.50");
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Create budget" }).click();
      await page.getByRole("row", { name: /Each month/ }).waitFor();
      await expectAccessible(page);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    },
  );
});
