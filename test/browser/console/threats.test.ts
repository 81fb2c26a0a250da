import { describe, expect } from "vitest";
import { servePage } from "../chromium.js";
import { ask, createKey } from "./create-key.js";
import { openByLink, openConsole, test, withoutBrowser } from "./open-console.js";

const markup = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>`;

describe(`the console${withoutBrowser}`, () => {
  test("E12: shows markup in the name of a key as text, on every page that has the name", async () => {
    const { page, url, problems } = await openConsole();
    const secret = await createKey(page, markup);
    const dialog = page.getByRole("dialog");
    const row = page.getByRole("row").filter({ hasText: markup });
    await row.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByText(markup).first().waitFor();
    await page.keyboard.press("Escape");
    const counted = await ask(url, secret);
    expect(counted.status).toBe(200);
    for (const path of ["keys", "usage?by=key", "audit"]) {
      await page.goto(`${url}/console/${path}`);
      await page.getByRole("table").getByText(markup).first().waitFor({ state: "attached" });
      expect(await page.locator("img[src=x], [onerror]").count()).toBe(0);
    }
    expect(await page.evaluate("window.ran")).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test("E12: runs no script in the page, and connects to no other host, even if markup became part of it", async () => {
    const { page, problems } = await openConsole();
    const other = await servePage(() => "");
    await page.evaluate(`
      for (const [name, content] of [["script", "window.ran = 1"], ["style", "body { color: red }"]]) {
        const element = document.createElement(name);
        element.append(content);
        document.body.append(element);
      }`);
    expect(await page.evaluate("window.ran")).toBeUndefined();
    expect(await page.evaluate(`fetch("${other}").then(() => "connected", () => "refused")`)).toBe("refused");
    const html = `document.body.innerHTML = "<b>markup</b>"`;
    await expect(page.evaluate(html)).rejects.toThrow("TrustedHTML");
    for (const refused of ["TrustedScript", "TrustedHTML", "style-src 'self'", "connect-src 'self'"])
      expect(problems.join("\n")).toContain(refused);
  });

  test("E5: cannot be used from a page of another port, though the browser sends the cookie with its requests", async () => {
    const { page, url } = await openConsole();
    const origin = await servePage(() => "");
    const other = await page.context().newPage();
    const seen: (string | undefined)[] = [];
    await other.route(`${url}/**`, async (route) => {
      seen.push((await route.request().allHeaders())["cookie"]);
      await route.continue();
    });
    await other.goto(origin);
    const send = (init: string): string =>
      `fetch("${url}/console/api/auth/teams", ${init}).then(({ status, type }) => [status, type], String)`;
    const body = JSON.stringify(JSON.stringify({ name: "forged" }));
    const answers = await other.evaluate(`(async () => [
      await ${send(`{ credentials: "include" }`)},
      await ${send(`{ method: "POST", credentials: "include", headers: { "content-type": "application/json", "x-hearth-console": "1" }, body: ${body} }`)},
      await ${send(`{ method: "POST", mode: "no-cors", credentials: "include", body: ${body} }`)},
    ])()`);
    const failed = "TypeError: Failed to fetch";
    expect(answers).toEqual([failed, failed, [0, "opaque"]]);
    expect(seen.filter((cookie) => cookie?.includes("hearth-console")).length).toBeGreaterThan(0);
    await openByLink(page, "Members");
    await page.getByRole("row", { name: "default" }).waitFor();
    expect(await page.getByText("forged").count()).toBe(0);
  });
});
