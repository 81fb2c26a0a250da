import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { builtInModel } from "../../kit/server/settings.js";
import { overflowOf } from "./members.js";
import {
  expectAccessible,
  openByLink,
  openConsole,
  test,
  withoutBrowser,
  type OpenConsole,
} from "./open-console.js";

/** Sends a chat request with the pinned API key. @returns the tokens of its usage */
async function chat({ client }: OpenConsole): Promise<number> {
  const { usage } = await client.chat.completions.create({
    model: builtInModel,
    messages: [{ role: "user", content: "Hello!" }],
    max_completion_tokens: 8,
  });
  return usage?.total_tokens ?? 0;
}

describe(`the page of usage${withoutBrowser}`, () => {
  test("shows a request by model, key and member, and downloads it as CSV", async () => {
    const opened = await openConsole();
    const { page, problems } = opened;
    await openByLink(page, "Usage");
    await page.getByRole("heading", { name: "No usage in this time" }).waitFor();
    const tokens = (await chat(opened)) + (await chat(opened));
    await page.reload();
    const row = page.getByRole("region", { name: "Usage by Model" }).getByRole("row", { name: builtInModel });
    await row.waitFor();
    expect((await row.getByRole("cell").allTextContents()).slice(0, 2)).toEqual([builtInModel, "2"]);
    expect((await row.getByRole("cell").allTextContents())[5]).toBe(String(tokens));
    const times = page.getByRole("region", { name: "Usage over time" }).getByRole("row");
    expect(await times.last().getByRole("cell").last().textContent()).toBe(String(tokens));

    await page.getByLabel("Stacked by").selectOption("API key");
    await page.getByRole("region", { name: "Usage by API key" }).waitFor();
    await page.getByLabel("Time", { exact: true }).selectOption("Last 24 hours");
    await page.getByRole("heading", { name: "By hour" }).waitFor();
    expect(new URL(page.url()).searchParams.get("range")).toBe("24h");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    const [header, ...rows] = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\r\n");
    expect(header).toBe(
      "hour (UTC),API key,requests,prompt tokens,cached tokens,completion tokens,reasoning tokens,cost (USD)",
    );
    const count = (column: number) => rows.reduce((sum, each) => sum + Number(each.split(",")[column]), 0);
    expect([count(2), count(3) + count(5) + count(6)]).toEqual([2, tokens]);
    expect(problems).toEqual([]);
  });

  test("shows usage by tag and by end user", async () => {
    const opened = await openConsole();
    const { page, client, problems } = opened;
    const body = { model: builtInModel, messages: [{ role: "user" as const, content: "Hello!" }] };
    const headers = { "x-hearth-tags": "project-x" };
    await client.chat.completions.create({ ...body, max_completion_tokens: 8, user: "ada" }, { headers });
    await chat(opened);
    await openByLink(page, "Usage");
    await page.getByLabel("Stacked by").selectOption("Tag");
    const byTag = page.getByRole("region", { name: "Usage by Tag" }).getByRole("row", { name: "project-x" });
    await byTag.waitFor();
    expect((await byTag.getByRole("cell").allTextContents()).slice(0, 2)).toEqual(["project-x", "1"]);
    await page.getByLabel("Stacked by").selectOption("End user");
    await page.getByRole("region", { name: "Usage by End user" }).getByRole("row", { name: "ada" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("writes no formula into the CSV", async () => {
    const opened = await openConsole();
    const { page } = opened;
    await openByLink(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill('=cmd|"x"');
    await dialog.getByRole("button", { name: "Create key" }).click();
    const secret = (await dialog.getByLabel("API key").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    await fetch(`${opened.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: builtInModel,
        messages: [{ role: "user", content: "Hi" }],
        max_tokens: 2,
      }),
    });
    await page.goto(`${opened.url}/console/usage?by=key`);
    await page.getByRole("region", { name: "Usage by API key" }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(readFileSync(await download.path(), "utf8")).toContain(',"\'=cmd|""x""",1,');
  });

  test.each(["light", "dark"] as const)(
    "has no serious fault of accessibility, and fits a small screen (%s)",
    async (colorScheme) => {
      const opened = await openConsole({ colorScheme });
      const { page, problems } = opened;
      await chat(opened);
      await page.setViewportSize({ width: 380, height: 800 });
      await page.goto(`${opened.url}/console/usage`);
      await page.getByRole("region", { name: "Usage over time" }).waitFor();
      await expectAccessible(page);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(problems).toEqual([]);
    },
  );
});
