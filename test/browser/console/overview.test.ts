import { describe, expect } from "vitest";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { expectAccessible, openConsole, test, withoutBrowser, type OpenConsole } from "./open-console.js";

async function ask({ client }: OpenConsole): Promise<number> {
  const { usage } = await client.chat.completions.create({
    model: builtInModel,
    messages: [{ role: "user", content: "Hello!" }],
    max_completion_tokens: 8,
  });
  return usage?.total_tokens ?? 0;
}

describe(`the overview${withoutBrowser}`, () => {
  test("leads a new server to its first request, and shows it without a reload", async () => {
    const opened = await openConsole();
    const { page, url, problems } = opened;
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    const steps = page.getByRole("region", { name: "Next steps" });
    const command = (await steps.getByLabel("Command of a first request").textContent()) ?? "";
    const [, at = "", body = ""] = /^curl (\S+) .* -d '(.*)'$/.exec(command) ?? [];
    expect(at).toBe(`${url}/v1/chat/completions`);
    const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };
    expect((await fetch(at, { method: "POST", headers, body })).status).toBe(200);
    await steps.waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Requests today" }).getByText("1", { exact: true }).waitFor();
    await page.getByRole("row", { name: builtInModel }).waitFor();
    expect(problems).toEqual([]);
  });

  test("shows the numbers of the server and of the team, and no more than fits a small screen", async () => {
    const opened = await openConsole();
    const { page, problems } = opened;
    await page.setViewportSize({ width: 380, height: 800 });
    const tokens = (await ask(opened)) + (await ask(opened));
    const number = (title: string) => page.getByRole("region", { name: title, exact: true });
    await number("Requests today").getByText("2", { exact: true }).waitFor();
    await number("Spent today").getByText(`${tokens} tokens`).waitFor();
    await number("Memory")
      .getByText(/of the server; models/)
      .waitFor();
    // A second counts once it is over.
    await number("Tokens per second")
      .getByText(/at most [1-9]\d* in a second/)
      .waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(380);
    await page.getByLabel("Numbers of").selectOption("The team default");
    await number("Memory").waitFor({ state: "detached" });
    await number("Requests today").getByText("2", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test.each(["light", "dark"] as const)("has no serious fault of accessibility (%s)", async (colorScheme) => {
    const opened = await openConsole({ colorScheme });
    await opened.page.getByRole("region", { name: "Next steps" }).waitFor();
    await expectAccessible(opened.page);
    await ask(opened);
    await opened.page.getByRole("region", { name: "Next steps" }).waitFor({ state: "detached" });
    await expectAccessible(opened.page);
  });
});
