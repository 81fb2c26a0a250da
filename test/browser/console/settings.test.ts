import { describe, expect } from "vitest";
import { openAsMember, overflowOf } from "./members.js";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "./open-console.js";

describe(`the page of settings and checks${withoutBrowser}`, () => {
  test("shows every check and setting with where it comes from, and no secret", async () => {
    const secret = "operators-own-key-1234567";
    const { page, problems } = await openConsole({
      environment: { HEARTH_API_KEY: secret, HEARTH_JOBS_ACTIVE_MAX: "3" },
    });
    await openByLink(page, "Settings");
    const checks = page.getByRole("region", { name: "Checks" }).getByRole("listitem");
    for (const name of ["version", "data folder", "disk", "backup", "processor", "threads", "gpu"])
      await checks.filter({ has: page.getByText(name, { exact: true }) }).waitFor();
    await checks.filter({ hasText: "backup" }).getByText("hearth backup FILE").waitFor();
    const row = (name: string) =>
      page.getByRole("region", { name: "Settings", exact: true }).getByRole("row", { name });
    await row("jobsActiveMax").getByRole("cell", { name: "3", exact: true }).waitFor();
    await row("jobsActiveMax").getByRole("cell", { name: "HEARTH_JOBS_ACTIVE_MAX", exact: true }).waitFor();
    await row("apiKey").getByRole("cell", { name: "set", exact: true }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole("checkbox", { name: "Only those that were set" }).check();
    await row("keepAliveMs").waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: "Only those that were set" }).uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Checks" }).click();
    await page.keyboard.press("/");
    await page.keyboard.type("keep_alive_ms");
    await row("jobsActiveMax").waitFor({ state: "detached" });
    await row("keepAliveMs").getByText("default", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Check again" }).click();
    expect(problems).toEqual([]);
  });

  test("is for owners of the whole server only", async () => {
    const opened = await openConsole();
    const page = await openAsMember(opened);
    expect(await page.getByRole("link", { name: "Settings" }).count()).toBe(0);
    await page.goto(`${opened.url}/console/settings`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    const status = await page.evaluate<number>(
      `fetch("/console/api/admin/doctor", { headers: { "x-hearth-console": "1" } }).then(({ status }) => status)`,
    );
    expect(status).toBe(403);
  });

  test.each(["light", "dark"] as const)(
    "has no serious fault of accessibility, and fits a small screen (%s)",
    async (colorScheme) => {
      const { page, url, problems } = await openConsole({ colorScheme });
      await page.setViewportSize({ width: 380, height: 800 });
      await page.goto(`${url}/console/settings`);
      await page.getByRole("region", { name: "Checks" }).waitFor();
      await expectAccessible(page);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(problems).toEqual([]);
    },
  );
});
