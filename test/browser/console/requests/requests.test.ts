import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { builtInModel, testKey } from "../../../kit/server/settings.js";
import { gate } from "../../../kit/until.js";
import { ask, createKey } from "../create-key.js";
import { openAsMember, overflowOf } from "../members.js";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "../open-console.js";

function openScripted(script: Parameters<typeof createScriptedEngine>[0], options = {}) {
  return openConsole({ ...options, overrides: { engine: createScriptedEngine(script) } });
}

const rows = (page: Page) => page.getByRole("region", { name: "Requests" }).locator("tbody tr");

describe(`the page of requests${withoutBrowser}`, () => {
  test("shows a request while it runs, cancels it, and shows what became of it", async () => {
    const held = gate();
    const { page, url, problems } = await openScripted(() => ["Good", " day,", held.opened, " you."]);
    await openByLink(page, "Requests");
    await page.getByRole("heading", { name: "No requests yet" }).waitFor();
    const answer = ask(url, testKey, { stream: true });
    // Without a reload: the list asks again and again.
    const row = rows(page).filter({ hasText: builtInModel });
    await row.getByText("running").waitFor();
    await row.getByRole("cell", { name: "2", exact: true }).waitFor();
    await row.getByRole("button", { name: builtInModel, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("It is being answered.").waitFor();
    await dialog.getByText("/v1/chat/completions, as a stream").waitFor();
    await dialog.getByRole("button", { name: "Cancel request" }).click();
    await page
      .getByRole("dialog", { name: "Cancel request" })
      .getByRole("button", { name: "Cancel request" })
      .click();
    await row.getByText("cancelled").waitFor();
    expect(await (await answer).text()).toContain("has cancelled the request");
    expect(await row.getByRole("button", { name: /^Cancel/ }).count()).toBe(0);
    expect(problems).toEqual([]);
    held.open();
  });

  test("keeps the reader's place while requests come, and shows new ones when asked to", async () => {
    const { page, url, problems } = await openScripted(() => ["Good day."]);
    for (let count = 0; count < 55; count++) await ask(url);
    await page.goto(`${url}/console/requests`);
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" });
    expect(await rows(page).count()).toBe(55);
    const first = rows(page).first();
    const before = await first.locator("time").getAttribute("datetime");
    await ask(url);
    await ask(url);
    const button = page.getByRole("button", { name: "Show 2 new requests" });
    await button.waitFor();
    expect(await first.locator("time").getAttribute("datetime")).toBe(before);
    expect(await rows(page).count()).toBe(55);
    await button.click();
    await button.waitFor({ state: "detached" });
    expect(await first.locator("time").getAttribute("datetime")).not.toBe(before);
    expect(problems).toEqual([]);
  });

  test("searches and filters by state, time, key and model; `/` moves to the search", async () => {
    const { page, url, problems } = await openScripted((prompt) =>
      prompt.includes("fail") ? ["Good", new Error("out of luck")] : ["Good day."],
    );
    const secret = await createKey(page, "nightly");
    await ask(url);
    await ask(url, secret);
    await ask(url, secret, { messages: [{ role: "user", content: "fail" }] });
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.keyboard.press("/");
    await page.keyboard.type("NIGHT");
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByLabel("State").selectOption("Failed");
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).getByText("internal").waitFor();
    await page.getByLabel("Search requests").fill("nothing has this name");
    await page.getByRole("link", { name: "Show all requests" }).click();
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.getByLabel("Accepted").selectOption("Last hour");
    await expect.poll(() => rows(page).count()).toBe(3);
    await rows(page).first().getByRole("button", { name: builtInModel }).click();
    await page.getByRole("dialog").getByRole("link", { name: "nightly" }).click();
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByRole("button", { name: "Any API key, not only nightly" }).click();
    await expect.poll(() => rows(page).count()).toBe(3);
    expect(problems).toEqual([]);
  });

  test("E12: shows the name of a key with markup as text", async () => {
    const { page, url, problems } = await openScripted(() => ["Good day."]);
    const name = `<img src=x onerror="document.title='run'">`;
    await ask(url, await createKey(page, name));
    await openByLink(page, "Requests");
    await rows(page).getByText(name).waitFor();
    await rows(page).first().getByRole("button", { name: builtInModel }).click();
    await page.getByRole("dialog").getByRole("link", { name }).waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toBe("Requests · Hearth");
    expect(problems).toEqual([]);
  });

  test("shows a member the requests of their own keys", async () => {
    const opened = await openScripted(() => ["Good day."]);
    await ask(opened.url);
    const page = await openAsMember(opened);
    await openByLink(page, "Requests");
    await page.getByRole("heading", { name: "No requests yet" }).waitFor();
    await ask(opened.url, await createKey(page, "of the member"));
    await openByLink(page, "Requests");
    await rows(page).getByText("of the member").waitFor();
    expect(await rows(page).count()).toBe(1);
  });

  test.each(["light", "dark"] as const)(
    "has no serious fault of accessibility, and fits a small screen (%s)",
    async (colorScheme) => {
      const { page, url, problems } = await openScripted(() => ["Good", " day."], { colorScheme });
      await page.setViewportSize({ width: 380, height: 800 });
      await page.goto(`${url}/console/requests`);
      await page.getByRole("heading", { name: "No requests yet" }).waitFor();
      await expectAccessible(page);
      await ask(url);
      await rows(page).first().waitFor();
      await expectAccessible(page);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await rows(page).first().getByRole("button", { name: builtInModel }).click();
      await expectAccessible(page);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(problems).toEqual([]);
    },
  );
});
