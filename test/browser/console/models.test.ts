import { describe, expect, onTestFinished } from "vitest";
import type { Puller } from "../../../src/models/hub/puller.js";
import { temporaryFolder } from "../../kit/folder.js";
import { builtInModel } from "../../kit/server/settings.js";
import type { TestHub } from "../../kit/doubles/hub/hub.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { createPulling, ggufOf } from "../../models/hub/pulling.js";
import {
  expectAccessible,
  openByLink,
  openConsole,
  test,
  withoutBrowser,
  type ConsoleOptions,
  type OpenConsole,
} from "./open-console.js";

const mebibyte = 1024 * 1024;
const pulled = "tiny-q4_k_m";

/** Opens the page on a server that pulls from the hub, with an engine of its own. */
async function openModels(hub: TestHub | null = null, options: ConsoleOptions = {}): Promise<OpenConsole> {
  const models = temporaryFolder();
  const openPuller = (): Promise<Puller> =>
    Promise.resolve(createPulling({ HF_ENDPOINT: hub?.url ?? "" }, { models }).puller);
  const opened = await openConsole({
    ...options,
    environment: { HEARTH_MODELS: models, ...options.environment },
    hasOwnEngine: true,
    ...(hub === null ? {} : { overrides: { openPuller } }),
  });
  await openByLink(opened.page, "Models");
  return opened;
}

describe(`the page of models${withoutBrowser}`, () => {
  test("downloads a model with its progress, cancels and resumes it, and deletes it", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(8 * mebibyte) });
    onTestFinished(() => void (hub.behaviour.bytesPerSecond = 0));
    hub.behaviour.bytesPerSecond = mebibyte;
    const { page, problems } = await openModels(hub);
    await page.getByRole("button", { name: "Add model" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Model", { exact: true }).fill("acme/tiny:Q4_K_M");
    await dialog.getByRole("button", { name: "Download" }).click();
    const downloads = page.getByRole("region", { name: "Downloads" });
    await downloads.getByText(/ of 8\.4 MB · .* a second · .* left$/).waitFor();
    // The download goes on when the page is left, and is found again.
    await page.reload();
    await downloads.getByText(/ of 8\.4 MB · /).waitFor();
    const bar = downloads.getByRole("progressbar", { name: "Download of acme/tiny:Q4_K_M" });
    await expect.poll(() => bar.getAttribute("value").then(Number)).toBeGreaterThan(mebibyte);
    await expectAccessible(page);
    await downloads.getByRole("button", { name: /^Cancel the download/ }).click();
    await downloads.getByText("Cancelled. What was downloaded is kept.").waitFor();
    hub.behaviour.bytesPerSecond = 0;
    await downloads.getByRole("button", { name: /^Resume the download/ }).click();
    const row = page.getByRole("region", { name: "Models" }).getByRole("row", { name: pulled });
    await row.waitFor();
    await downloads.waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete model" }).click();
    await row.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  test("loads a model and unloads it, also one that its settings keep for ever", async () => {
    const { page, problems } = await openModels();
    const row = page.getByRole("row", { name: builtInModel });
    await row.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog").getByLabel("Stays unused for").fill("forever");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await row.getByRole("button", { name: "Load" }).click();
    await row.getByText("in memory").waitFor();
    await row.getByRole("button", { name: "Unload" }).click();
    await row.getByText("in memory").waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Load" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("changes an alias, and says at its field that another model has it", async () => {
    const { page, client, problems } = await openModels();
    await page.setViewportSize({ width: 380, height: 800 });
    const dialog = page.getByRole("dialog");
    const edit = async (model: string, alias: string): Promise<void> => {
      await page.getByRole("row", { name: model }).getByRole("button", { name: "Edit" }).click();
      await dialog.getByLabel("Aliases").fill(alias);
      await dialog.getByRole("button", { name: "Save" }).click();
    };
    await edit(builtInModel, "gpt-4o-mini");
    await page.getByRole("row", { name: builtInModel }).getByText("also gpt-4o-mini").waitFor();
    expect((await client.models.retrieve("gpt-4o-mini")).id).toBe(builtInModel);
    await edit("hearth-embed-1m", "gpt-4o-mini");
    const problem = dialog.getByRole("alert");
    expect(await problem.textContent()).toBe(`'gpt-4o-mini' belongs to the model '${builtInModel}' already.`);
    expect(await dialog.getByLabel("Aliases").getAttribute("aria-invalid")).toBe("true");
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(380);
    expect(problems).toEqual([]);
  });

  test("shows a member of a team what the team may use, and its own numbers in the overview", async () => {
    const { page, client, problems } = await openConsole();
    await client.chat.completions.create({
      model: builtInModel,
      messages: [{ role: "user", content: "Hello!" }],
      max_completion_tokens: 4,
    });
    await openByLink(page, "Members");
    await page.getByRole("button", { name: "Add member" }).click();
    await page.getByRole("dialog").getByLabel("E-mail").fill("ada@example.com");
    await page.getByRole("dialog").getByRole("button", { name: "Add member" }).click();
    const link = (await page.getByRole("dialog").getByLabel("Sign-in link").textContent()) ?? "";
    await page.context().clearCookies();
    await page.goto(link);
    // The address differs in what follows `#` only.
    await page.reload();
    await page.getByLabel("New password").fill("another long password");
    await page.getByRole("button", { name: "Set password and sign in" }).click();
    await openByLink(page, "Models");
    const row = page.getByRole("row", { name: builtInModel });
    await row.getByText("8,192").waitFor();
    expect(await page.getByRole("button", { name: /Add model|Load|Edit|Delete/ }).count()).toBe(0);
    expect(await page.getByRole("row", { name: "hearth-captioner-2m" }).count()).toBe(0);
    await openByLink(page, "Overview");
    await page
      .getByRole("region", { name: "Requests today by your keys" })
      .getByText("0", { exact: true })
      .waitFor();
    expect(await page.getByRole("region", { name: "Memory", exact: true }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test.each(["light", "dark"] as const)("has no serious fault of accessibility (%s)", async (colorScheme) => {
    const { page } = await openModels(null, { colorScheme });
    const row = page.getByRole("row", { name: builtInModel });
    await row.waitFor();
    await expectAccessible(page);
    await row.getByRole("button", { name: "Edit" }).click();
    await page.getByText("Where a request does not say otherwise").click();
    await expectAccessible(page);
  });
});
