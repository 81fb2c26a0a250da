import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const program = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));

/** Signs the first owner of a new server in. @param data the server's data folder */
export async function signInOwner(page: Page, url: string, data: string): Promise<void> {
  const { stdout, stderr } = spawnSync(process.execPath, [program, "members", "sign-in-link"], {
    env: { PATH: process.env["PATH"], HEARTH_DATA: data },
    encoding: "utf8",
  });
  const [link] = /#link=\S+/.exec(stdout) ?? [];
  if (link === undefined) throw new Error(`there is no sign-in link: ${stdout}${stderr}`);
  await page.goto(`${url}/console${link}`);
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByLabel("New password").fill("correct horse battery staple");
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
}
