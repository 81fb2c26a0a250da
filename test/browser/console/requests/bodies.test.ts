import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { builtInModel, testKey } from "../../../kit/server/settings.js";
import { ask, createKey } from "../create-key.js";
import { openAsMember, overflowOf } from "../members.js";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "../open-console.js";

const markup = `<img src=x onerror="window.ran=1"><script>window.ran=1</script> **bold**`;

function openScripted(options: Parameters<typeof openConsole>[0] = {}) {
  return openConsole({ ...options, overrides: { engine: createScriptedEngine(() => [markup]) } });
}

const keepSwitch = (page: Page) => page.getByRole("switch", { name: "Keep texts of requests of default" });

async function keepTexts(page: Page): Promise<void> {
  await openByLink(page, "Members");
  await keepSwitch(page).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep texts" }).click();
  await keepSwitch(page).and(page.locator("[aria-checked=true]")).waitFor();
}

/** Opens the details of the newest request. */
async function openNewest(page: Page): Promise<void> {
  await openByLink(page, "Requests");
  const rows = page.getByRole("region", { name: "Requests" }).locator("tbody tr");
  await rows.first().getByRole("button", { name: builtInModel }).click();
}

const ofUser = (content: string) => ({ messages: [{ role: "user", content }] });

describe(`what requests and answers have, in the console${withoutBrowser}`, () => {
  test("E12: is shown as text when the team keeps it, and deleted one by one or all at once", async () => {
    const { page, url, problems } = await openScripted();
    await keepTexts(page);
    const call = { id: "call-1", type: "function", function: { name: "look_up", arguments: '{"id":7}' } };
    await ask(url, testKey, {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: `What is this? ${markup}` },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call-1", content: "a lamp" },
      ],
    });
    await openNewest(page);
    const dialog = page.getByRole("dialog");
    const read = dialog.getByRole("region", { name: "What the model read" });
    const texts = read.getByRole("group", { name: "Text" });
    await expect.poll(() => texts.allTextContents()).toEqual(["Be brief.", `What is this? ${markup}`]);
    expect(await read.getByRole("group", { name: "Arguments of look_up" }).textContent()).toBe(
      '{\n  "id": 7\n}',
    );
    expect(await read.getByRole("group", { name: "Result" }).textContent()).toBe("a lamp");
    const wrote = dialog.getByRole("region", { name: "What the model wrote" });
    expect(await wrote.getByRole("group", { name: "Text" }).textContent()).toContain(markup);
    await wrote.getByText("ended with stop").waitFor();
    expect(await page.locator("img[src=x], dialog script, dialog strong:text('bold')").count()).toBe(0);
    expect(await page.evaluate("window.ran")).toBeUndefined();
    await dialog.getByRole("button", { name: "Copy as JSON" }).click();
    expect(JSON.parse(await page.evaluate<string>("navigator.clipboard.readText()"))).toMatchObject({
      input: [{ role: "system" }, { role: "user" }, { role: "assistant" }, { role: "tool" }],
    });

    await dialog.getByRole("button", { name: "Delete texts" }).click();
    await dialog.getByRole("button", { name: "Delete texts" }).click();
    await dialog.waitFor({ state: "detached" });
    await openNewest(page);
    await dialog.getByText("Nothing is kept of this request").waitFor();
    await page.keyboard.press("Escape");

    await ask(url);
    await openByLink(page, "Members");
    await keepSwitch(page).click();
    await dialog.getByText("are deleted at once").waitFor();
    await dialog.getByRole("button", { name: "Stop and delete" }).click();
    await keepSwitch(page).and(page.locator("[aria-checked=false]")).waitFor();
    await openNewest(page);
    await dialog.getByText("The team default does not keep").waitFor();
    expect(problems).toEqual([]);
  });

  test("is absent, with a sentence that says why, where the team has not turned it on or a request forbids it", async () => {
    const { page, url, problems } = await openScripted();
    await ask(url, testKey, ofUser("not kept, as nobody has turned it on"));
    await openNewest(page);
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText("The team default does not keep what its requests and their answers have.")
      .waitFor();
    await dialog.getByRole("link", { name: "Members" }).click();
    await keepTexts(page);
    await ask(url, testKey, { ...ofUser("not kept, as the request forbids it"), store: false });
    await openNewest(page);
    await dialog.getByText("Nothing is kept of this request").waitFor();
    expect(await page.getByText("not kept, as").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("is shown to a member of their own keys only, who cannot turn it on", async () => {
    const opened = await openScripted();
    const page = await openAsMember(opened);
    const secret = await createKey(page, "of the member");
    await ask(opened.url, secret, ofUser("before"));
    await openNewest(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByText("An owner of the team can turn that on.").waitFor();
    await page.keyboard.press("Escape");
    await openByLink(page, "Members");
    expect(await page.getByRole("switch").count()).toBe(0);

    await keepTexts(opened.page);
    await ask(opened.url, testKey, ofUser("of somebody else"));
    await ask(opened.url, secret, ofUser("of the member"));
    await page.reload();
    await openNewest(page);
    await dialog.getByText("of the member").last().waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("region", { name: "Requests" }).locator("tbody tr").count()).toBe(2);

    await openNewest(opened.page);
    const ids = await opened.page.getByRole("dialog").locator(".id code").allTextContents();
    const other = await opened.page.evaluate<string>(`(async () => {
      const get = { headers: { "x-hearth-console": "1" } };
      const { requests } = await (await fetch("/console/api/admin/requests", get)).json();
      return requests.find(({ apiKeyName }) => apiKeyName !== "of the member").id;
    })()`);
    expect(ids).not.toContain(other);
    const statuses = await page.evaluate(`Promise.all(["GET", "DELETE"].map(async (method) => {
      const path = "/console/api/admin/requests/${other}" + (method === "GET" ? "" : "/bodies");
      return (await fetch(path, { method, headers: { "x-hearth-console": "1" } })).status;
    }))`);
    expect(statuses).toEqual([404, 404]);
  });

  test.each(["light", "dark"] as const)(
    "has no serious fault of accessibility, and fits a small screen (%s)",
    async (colorScheme) => {
      const { page, url, problems } = await openScripted({ colorScheme });
      await page.setViewportSize({ width: 380, height: 800 });
      await page.goto(`${url}/console/members`);
      await keepSwitch(page).click();
      await expectAccessible(page);
      await page.getByRole("dialog").getByRole("button", { name: "Keep texts" }).click();
      await keepSwitch(page).and(page.locator("[aria-checked=true]")).waitFor();
      await expectAccessible(page);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await ask(url, testKey, ofUser("w".repeat(500)));
      await page.goto(`${url}/console/requests`);
      await page
        .getByRole("region", { name: "Requests" })
        .getByRole("button", { name: builtInModel })
        .click();
      await page.getByText("w".repeat(500)).waitFor();
      await expectAccessible(page);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(problems).toEqual([]);
    },
  );
});
