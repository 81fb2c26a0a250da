import { describe, expect } from "vitest";
import { startReceiver } from "../../kit/doubles/alert-receivers.js";
import { expectAccessible, openByLink, openConsole, test, withoutBrowser } from "./open-console.js";

describe(`the page of alerts${withoutBrowser}`, () => {
  test("adds a webhook, shows its secret once, sends a test and shows what became of it", async () => {
    const receiver = await startReceiver();
    const { page, problems } = await openConsole({ environment: { HEARTH_ALERT_HOSTS: receiver.host } });
    await openByLink(page, "Alerts");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add channel" }).click();
    await dialog.getByLabel("URL").fill("http://example.com/");
    await dialog.getByRole("button", { name: "Add channel" }).click();
    expect(await dialog.getByRole("alert").textContent()).toContain("must be an https URL");
    await dialog.getByLabel("URL").fill(receiver.url);
    await dialog.getByRole("button", { name: "Add channel" }).click();
    expect(await dialog.getByLabel("Signing secret").textContent()).toMatch(/^whsec_/);
    await dialog.getByRole("button", { name: "Done" }).click();

    const channel = page.getByRole("region", { name: "Channels" }).getByRole("row", { name: receiver.url });
    await channel.getByText("the whole server").waitFor();
    await channel.getByRole("button", { name: "Send test" }).click();
    const sent = page.getByRole("region", { name: "Messages" }).getByRole("row", { name: receiver.url });
    await sent.waitFor();
    await expect.poll(() => receiver.received.length).toBe(1);
    await page.reload();
    await sent.getByText("delivered").waitFor();

    await channel.getByRole("button", { name: "Remove" }).click();
    await dialog.getByRole("button", { name: "Remove channel" }).click();
    await page.getByRole("heading", { name: "No channels" }).waitFor();
    expect(problems).toEqual([]);
  });

  test.each(["light", "dark"] as const)(
    "has no serious fault of accessibility, and fits a small screen (%s)",
    async (colorScheme) => {
      const { page, url } = await openConsole({ colorScheme });
      await page.setViewportSize({ width: 380, height: 800 });
      await page.goto(`${url}/console/alerts`);
      await page.getByRole("button", { name: "Add channel" }).click();
      await expectAccessible(page);
      await page.getByRole("dialog").getByLabel("URL").fill("https://127.0.0.1/hook");
      await page.getByRole("dialog").getByRole("button", { name: "Add channel" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
      await page.getByRole("row", { name: /the whole server/ }).waitFor();
      await expectAccessible(page);
      const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      expect(overflow).toBeLessThanOrEqual(0);
    },
  );
});
