/** An operator's first day in a terminal: everything is typed and read on a real pseudo-terminal of 80 columns. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { temporaryFolder } from "../../kit/folder.js";
import { writeModel } from "../../kit/models/gguf-writer.js";
import { hasTerminal, keys, openTerminal, withoutTerminal, type Terminal } from "../../kit/terminal.js";
import { ggufOf } from "../../models/hub/pulling.js";

const mebibyte = 1024 * 1024;

/** Runs a command to its end. @returns what the terminal has shown */
async function shownBy(terminal: Terminal, code: number): Promise<string> {
  expect([await terminal.exited, terminal.shown()]).toEqual([code, expect.any(String)]);
  return terminal.shown();
}

/** Returns a port that another program has. */
async function takenPort(): Promise<number> {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const address = other.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** Signs in with a link as the console does. @returns the status of the session that this begins */
async function signIn(link: URL): Promise<number> {
  const headers = { "content-type": "application/json", "x-hearth-console": "1" };
  const password = "correct horse battery staple";
  const answer = await fetch(new URL("/console/api/sign-in", link), {
    method: "POST",
    headers,
    body: JSON.stringify({ link: link.hash.replace("#link=", ""), email: "owner@example.com", password }),
  });
  const cookie = answer.headers.getSetCookie().map((each) => each.split(";")[0]);
  const session = new URL("/console/api/session", link);
  return (await fetch(session, { headers: { ...headers, cookie: cookie.join("; ") } })).status;
}

it.runIf(hasTerminal)(
  `the first day: a taken port, a start, its link, an answer and a pull that Ctrl-C stops, logs, unload and stop${withoutTerminal}`,
  async () => {
    const folder = temporaryFolder();
    const [data, models] = [join(folder, "data"), temporaryFolder()];
    await writeModel(join(models, "endless.gguf"), { contextLength: 8192, vocabularySize: 20_000 });
    const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(24 * mebibyte) });
    const settings = { HEARTH_DATA: data, HEARTH_MODELS: models, HF_ENDPOINT: hub.url };
    const port = await takenPort();
    const refused = openTerminal(["start", "--port", String(port)], { environment: settings });
    expect(await shownBy(refused, 1)).toMatch(/is in use by .*\(pid \d+\)/);
    expect(existsSync(data)).toBe(false);

    const server = openTerminal(["start", "--port", "0"], { environment: settings });
    await server.waitFor(/^http:\/\/\S+\/console#link=[\w-]{43}$/m);
    const greeting = server.shown().split("\n");
    expect(greeting).toHaveLength(3);
    const url = (greeting[0] ?? "").replace("listening on ", "");
    expect(await signIn(new URL(greeting[2] ?? ""))).toBe(200);
    const environment = { ...settings, HEARTH_PORT: new URL(url).port };
    const hearth = (...args: string[]): Terminal => openTerminal(args, { environment });

    const answering = hearth("run", "endless", "Tell me a story.");
    await answering.waitFor(/\w{3,}/);
    answering.type(keys.ctrlC);
    await answering.exited;
    expect(await shownBy(hearth("ps"), 0)).toContain("endless");

    hub.behaviour.bytesPerSecond = 12 * mebibyte;
    const pulling = hearth("pull", "acme/tiny");
    await pulling.waitFor(/\[#+-+\]/);
    pulling.type(keys.ctrlC);
    expect(await shownBy(pulling, 1)).toMatch(/stopped; [\s\S]*goes on\s+from there/);
    hub.behaviour.bytesPerSecond = 0;
    expect(await shownBy(hearth("pull", "acme/tiny"), 0)).toContain("pulled tiny-q4_k_m");

    expect(await shownBy(hearth("logs", "-n", "all"), 0)).toContain("/console/api/sign-in");
    expect(await shownBy(hearth("unload", "endless"), 0)).toContain("endless is no longer in memory");
    expect(await shownBy(hearth("stop"), 0)).toMatch(/^stopped the server \(pid \d+\)$/m);
    expect(await server.exited).toBe(0);

    const again = openTerminal(["start", "--port", "0"], { environment: settings });
    await again.waitFor(/^http:\/\/\S+\/console$/m);
    again.type(keys.ctrlC);
    expect(await again.exited).toBe(0);
  },
);
