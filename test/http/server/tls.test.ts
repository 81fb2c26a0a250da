import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import OpenAI from "openai";
import { Agent, fetch as fetchWith } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { runProgram, startProcess } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { createManualClock } from "../../kit/manual-clock.js";

const fixture = (name: string): string => join(root, "test/fixtures/tls", name);
const [cert, key] = [fixture("first.pem"), fixture("first.key")];
const ca = readFileSync(cert);
const environment = { HEARTH_TLS_CERT: cert, HEARTH_TLS_KEY: key };

/** The official client, which trusts the certificate. */
function trustingClient(url: string): OpenAI {
  const dispatcher = new Agent({ connect: { ca } });
  const send = (at: string | URL | Request, init?: RequestInit): Promise<Response> =>
    fetchWith(at instanceof Request ? at.url : at, {
      ...(init as object),
      dispatcher,
    }) as Promise<unknown> as Promise<Response>;
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: testKey, maxRetries: 0, fetch: send });
}

/** Opens a connection and resolves once its handshake is done. */
async function handshake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options });
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

const question = { model: builtInModel, messages: [{ role: "user" as const, content: "Hello!" }] };

describe("with a certificate", () => {
  it("the server speaks HTTPS on all addresses: to the official client, whole and streamed, and to ps and run", async () => {
    const data = join(temporaryFolder(), "data");
    const settings = { ...environment, HEARTH_DATA: data, HEARTH_HOST: "0.0.0.0", HEARTH_API_KEY: testKey };
    const server = await startProcess(settings);
    const port = new URL(server.url).port;
    expect(server.url).toBe(`https://0.0.0.0:${port}`);
    expect(await server.line(/^(https:.*)#link=/)).toBe(`https://${hostname()}:${port}/console`);
    const client = trustingClient(`https://127.0.0.1:${port}`);
    const whole = await client.chat.completions.create({ ...question, temperature: 0 });
    const stream = await client.chat.completions.create({ ...question, temperature: 0, stream: true });
    let streamed = "";
    for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? "";
    expect(streamed).toBe(whole.choices[0]?.message.content);

    const beside = { ...settings, HEARTH_PORT: port };
    const ps = runProgram(["ps", "--json"], beside);
    expect([await ps.exited, ps.stderr()]).toEqual([0, ""]);
    expect(ps.stdout()).toContain(`"id": "${builtInModel}"`);
    const run = runProgram(["run", builtInModel, "Hello!"], beside);
    run.child.stdin?.end();
    expect([await run.exited, run.stderr()]).toEqual([0, ""]);
    expect(run.stdout().trim()).not.toBe("");
  }, 60_000);

  it("commands do not send their key to a server with another certificate", async () => {
    const settings = {
      ...environment,
      HEARTH_DATA: join(temporaryFolder(), "data"),
      HEARTH_API_KEY: testKey,
    };
    const server = await startProcess(settings);
    const other = { HEARTH_TLS_CERT: fixture("second.pem"), HEARTH_TLS_KEY: fixture("second.key") };
    const ps = runProgram(["ps"], { ...settings, ...other, HEARTH_PORT: new URL(server.url).port });
    expect(await ps.exited).toBe(1);
    expect(ps.stderr()).toContain("no server is running at https://127.0.0.1:");
  });

  it("connections have TLS 1.2 or later, and plain HTTP gets no answer", async () => {
    const { url } = await startServer({ environment, engine: createScriptedEngine(() => []) });
    const port = Number(new URL(url).port);
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    await expect(handshake(port, old)).rejects.toThrow(/protocol version|unsupported protocol/);
    expect((await handshake(port, { maxVersion: "TLSv1.2" })).getProtocol()).toBe("TLSv1.2");
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  });

  it("a renewed certificate is used within a minute; one that cannot be used leaves the former one in use", async () => {
    const folder = temporaryFolder();
    const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const write = (name: string): void => {
      copyFileSync(fixture(`${name}.pem`), certFile);
      copyFileSync(fixture(`${name}.key`), keyFile);
    };
    write("first");
    const clock = createManualClock(Date.parse("2026-11-23"));
    const logged: string[] = [];
    const log = (_: object, message: string): void => void logged.push(message);
    const { url } = await startServer({
      environment: { HEARTH_TLS_CERT: certFile, HEARTH_TLS_KEY: keyFile },
      engine: createScriptedEngine(() => []),
      clock,
      logger: { info: log, warn: log, error: log },
    });
    const port = Number(new URL(url).port);
    const served = async (): Promise<string | undefined> =>
      (await handshake(port)).getPeerX509Certificate()?.toString();
    const contentOf = (name: string): string => readFileSync(fixture(`${name}.pem`), "utf8");
    expect(await served()).toBe(contentOf("first"));
    write("second");
    clock.advance(60_000);
    expect(await served()).toBe(contentOf("second"));
    expect(logged).toContain("the renewed certificate is in use");
    writeFileSync(keyFile, "half a key");
    clock.advance(60_000);
    expect(await served()).toBe(contentOf("second"));
    expect(logged).toContain("the renewed certificate cannot be used; the former one stays in use");
  });

  it("that has expired the server starts, and the log warns", async () => {
    const warned: string[] = [];
    const logger = {
      info: () => undefined,
      warn: (_: object, message: string): void => void warned.push(message),
      error: () => undefined,
    };
    const settings = { ...environment, HEARTH_TLS_CERT: fixture("expired.pem") };
    await startServer({ environment: settings, engine: createScriptedEngine(() => []), logger });
    expect(warned).toEqual(["the certificate expired on 2021-01-01: clients refuse it"]);
  });
});

describe("hearth start ends with one sentence for", () => {
  const cases: readonly (readonly [string, NodeJS.ProcessEnv, number, string])[] = [
    [
      "a certificate that does not exist",
      { HEARTH_TLS_CERT: "/nowhere.pem" },
      1,
      "tlsCert: cannot read /nowhere.pem: it does not exist",
    ],
    [
      "a file that is no certificate",
      { HEARTH_TLS_CERT: key },
      1,
      `tlsCert: ${key} is not a certificate in PEM`,
    ],
    [
      "a file that is no key",
      { HEARTH_TLS_KEY: cert },
      1,
      `tlsKey: ${cert} is not a private key in PEM without a password`,
    ],
    [
      "a key of another certificate",
      { HEARTH_TLS_KEY: fixture("second.key") },
      1,
      `tlsKey: ${fixture("second.key")} is not the private key of the certificate in ${cert}`,
    ],
    [
      "a certificate without a key",
      { HEARTH_TLS_KEY: "" },
      2,
      "tlsCert (set by HEARTH_TLS_CERT): needs tlsKey",
    ],
    [
      "a key without a certificate",
      { HEARTH_TLS_CERT: "" },
      2,
      "tlsKey (set by HEARTH_TLS_KEY): needs tlsCert",
    ],
  ];
  it.each(cases)("%s", async (_, change, code, message) => {
    const data = join(temporaryFolder(), "data");
    const run = runProgram(["start"], { ...environment, HEARTH_DATA: data, HEARTH_PORT: "0", ...change });
    expect(await run.exited).toBe(code);
    expect(run.stderr()).toContain(`hearth: ${message}`);
    expect(run.stderr().trim().split("\n")).toHaveLength(1);
  });
});

it("without a certificate, allowInsecureLan serves all addresses in plain text", async () => {
  const server = await startProcess({ HEARTH_HOST: "0.0.0.0", HEARTH_ALLOW_INSECURE_LAN: "true" });
  const { port } = new URL(server.url);
  expect(server.url).toBe(`http://0.0.0.0:${port}`);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});
