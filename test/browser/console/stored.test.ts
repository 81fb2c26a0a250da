import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { createScriptedEngine, type Script } from "../../kit/scripted/engine.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { gate } from "../../kit/until.js";
import { createKey } from "./create-key.js";
import { openAsMember, overflowOf } from "./members.js";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "./open-console.js";

const chat = { model: builtInModel, messages: [{ role: "user", content: "Hello!" }] };

async function post(url: string, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

async function uploadFile(url: string, name: string, key = testKey): Promise<void> {
  const form = new FormData();
  form.append("file", new Blob(["a text"]), name);
  form.append("purpose", "user_data");
  const headers = { authorization: `Bearer ${key}` };
  expect((await fetch(`${url}/v1/files`, { method: "POST", headers, body: form })).status).toBe(200);
}

function openScripted(script: Script = () => ["Good day."], options = {}) {
  return openConsole({ ...options, overrides: { engine: createScriptedEngine(script) } });
}

async function openKind(page: Page, title: string): Promise<void> {
  await page
    .getByRole("navigation", { name: "Kinds" })
    .getByRole("link", { name: title, exact: true })
    .click();
  await page.getByLabel(`Search ${title.toLowerCase()}`).waitFor();
}

const rows = (page: Page, title: string) =>
  page.getByRole("region", { name: title, exact: true }).locator("tbody tr");

describe(`the page of stored things${withoutBrowser}`, () => {
  test("shows a deferred completion while it waits, and cancels it", async () => {
    const held = gate();
    const { page, url, problems } = await openScripted(() => ["Good", held.opened]);
    await openByLink(page, "Stored");
    await page.getByRole("heading", { name: "No deferred completions yet" }).waitFor();
    await page.getByLabel("Command").getByText("/v1/chat/completions").waitFor();
    const { request_id: id } = await post(url, "/v1/chat/completions", { ...chat, deferred: true });
    const row = rows(page, "Deferred").filter({ hasText: String(id) });
    await row.getByText("pending").waitFor();
    await row.getByRole("button", { name: /^Cancel/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel deferred completion" }).click();
    await row.getByText("The deferred completion was cancelled.").waitFor();
    await row.getByRole("button", { name: /^Delete/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete deferred completion" }).click();
    await page.getByRole("heading", { name: "No deferred completions yet" }).waitFor();
    expect(problems).toEqual([]);
    held.open();
  });

  test("shows the progress of a batch, downloads its output and deletes it", async () => {
    const held = gate();
    const { page, url, problems } = await openScripted((prompt) =>
      prompt.includes("wait") ? [held.opened, "Good."] : ["Good day."],
    );
    const requests = ["now", "wait"].map((content) => ({
      custom_id: content,
      params: { model: builtInModel, max_tokens: 8, messages: [{ role: "user", content }] },
    }));
    const { id } = await post(url, "/v1/messages/batches", { requests });
    await openByLink(page, "Stored");
    await openKind(page, "Batches");
    const row = rows(page, "Batches");
    await row.getByText("1 of 2 answered").waitFor();
    await row.getByText("in progress").waitFor();
    expect(await row.getByRole("button", { name: /^Delete/ }).count()).toBe(0);
    held.open();
    // Without a reload.
    await row.getByText("2 of 2 answered").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      row.getByRole("button", { name: `Download the output of ${String(id)}` }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${String(id)}_output.jsonl`);
    const lines = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id)).toEqual([
      "now",
      "wait",
    ]);
    await row.getByRole("button", { name: /^Delete/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete batch" }).click();
    await page.getByRole("heading", { name: "No batches yet" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("filters responses by state and background, and searches; chat completions can be downloaded", async () => {
    const { page, url, problems } = await openScripted();
    await post(url, "/v1/responses", { model: builtInModel, input: "Hello!" });
    const { id } = await post(url, "/v1/responses", { model: builtInModel, input: "Hi!", background: true });
    await post(url, "/v1/chat/completions", { ...chat, store: true });
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "Stored", level: 1 }).waitFor();
    await openKind(page, "Responses");
    await expect.poll(() => rows(page, "Responses").count()).toBe(2);
    await page.getByLabel("Processed").selectOption("In the background");
    await expect.poll(() => rows(page, "Responses").count()).toBe(1);
    await rows(page, "Responses").getByText(String(id)).waitFor();
    await page.getByLabel("State").selectOption("failed");
    await page.getByRole("heading", { name: "No response matches" }).waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await expect.poll(() => rows(page, "Responses").count()).toBe(2);
    await page.keyboard.press("/");
    await page.keyboard.type(String(id).slice(5, 20));
    await expect.poll(() => rows(page, "Responses").count()).toBe(1);
    await openKind(page, "Chat completions");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      rows(page, "Chat completions")
        .getByRole("button", { name: /^Download/ })
        .click(),
    ]);
    expect(readFileSync(await download.path(), "utf8")).toContain("Good day.");
    expect(problems).toEqual([]);
  });

  test("E12: shows the name of a file with markup as text", async () => {
    const { page, url, problems } = await openScripted();
    const name = `<img src=x onerror="document.title='run'">.txt`;
    await uploadFile(url, name);
    await page.goto(`${url}/console/stored?kind=files`);
    await rows(page, "Files").getByText("<img src=x").waitFor();
    await rows(page, "Files")
      .getByRole("button", { name: /^Delete/ })
      .click();
    await page.getByRole("dialog").getByText("<img src=x").waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toBe("Stored · Hearth");
    expect(problems).toEqual([]);
  });

  test("shows a member what was stored for keys of their own, and an owner for whom each is", async () => {
    const opened = await openScripted();
    const { url } = opened;
    await uploadFile(url, "of-the-operator.txt");
    const page = await openAsMember(opened);
    await page.goto(`${url}/console/stored?kind=files`);
    await page.getByRole("heading", { name: "No files yet" }).waitFor();
    await uploadFile(url, "of-the-member.txt", await createKey(page, "of the member"));
    await uploadFile(url, "of-the-owner.txt", await createKey(opened.page, "of the owner"));
    await page.goto(`${url}/console/stored?kind=files`);
    await rows(page, "Files").getByText("of-the-member.txt").waitFor();
    expect(await rows(page, "Files").count()).toBe(1);
    expect(await page.getByRole("columnheader", { name: "For" }).count()).toBe(0);
    await opened.page.goto(`${url}/console/stored?kind=files`);
    for (const [file, owner] of [
      ["of-the-operator.txt", "the operator"],
      ["of-the-member.txt", "member@example.com"],
      ["of-the-owner.txt", "you"],
    ] as const)
      await rows(opened.page, "Files")
        .filter({ hasText: file })
        .getByRole("cell", { name: owner, exact: true })
        .waitFor();
  });

  test.each(["light", "dark"] as const)(
    "has no serious fault of accessibility, and fits a small screen (%s)",
    async (colorScheme) => {
      const { page, url, problems } = await openScripted(undefined, { colorScheme });
      await page.setViewportSize({ width: 380, height: 800 });
      await page.goto(`${url}/console/stored`);
      await page.getByRole("heading", { name: "No deferred completions yet" }).waitFor();
      await expectAccessible(page);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await uploadFile(url, "notes.txt");
      await post(url, "/v1/messages/batches", {
        requests: [{ custom_id: "a", params: { ...chat, max_tokens: 8 } }],
      });
      for (const kind of ["batches", "files"]) {
        await page.goto(`${url}/console/stored?kind=${kind}`);
        await page.locator("tbody tr").first().waitFor();
        await expectAccessible(page);
        expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      }
      expect(problems).toEqual([]);
    },
  );
});
