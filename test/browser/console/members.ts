/** Members of the first team, in the browser. */
import type { Page } from "playwright-core";
import { openPage, type ConsoleOptions, type OpenConsole } from "./open-console.js";

/** Adds a member of the first team with the role `member`, and signs them in, in a browser of their own. */
export async function openAsMember({ page, url }: OpenConsole, options: ConsoleOptions = {}): Promise<Page> {
  const link = await page.evaluate<string>(`(async () => {
    const call = async (path, body) => {
      const headers = { "x-hearth-console": "1", "content-type": "application/json" };
      const method = body === undefined ? "GET" : "POST";
      const answer = await fetch("/console/api" + path, { method, headers, body });
      if (!answer.ok) throw new Error(path + ": " + answer.status);
      return answer.json();
    };
    const { teams: [team] } = await call("/auth/teams");
    const member = await call("/auth/teams/" + team.teamId + "/members", JSON.stringify({
      email: "member@example.com", givenName: "A", familyName: "Member", role: "member",
    }));
    return (await call("/auth/members/" + member.memberId + "/sign-in-links", "")).link;
  })()`);
  const opened = await openPage(options);
  await opened.goto(`${url}/console#link=${link}`);
  await opened.getByLabel("New password").fill("another long password");
  await opened.getByRole("button", { name: "Set password and sign in" }).click();
  await opened.getByRole("navigation", { name: "Pages" }).waitFor();
  return opened;
}

/** Returns how far the page is wider than the window, in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
}
