import { Command, CommanderError } from "commander";
import { expect, it } from "vitest";
import { openServer } from "../../src/app/operator/open.js";
import { addAlertsCommand } from "../../src/cli/alerts.js";
import { loadConfig } from "../../src/config/config.js";
import { systemClock } from "../../src/system/clock.js";
import { startServer } from "../kit/server.js";
import { startReceiver } from "../kit/doubles/alert-receivers.js";

/** A server, a receiver that it may reach, and the command against it. */
async function served() {
  const receiver = await startReceiver();
  const server = await startServer({
    accounts: "managed",
    environment: { HEARTH_ALERT_HOSTS: `${receiver.host},${receiver.host}/hook` },
  });
  const loaded = loadConfig({
    HEARTH_PORT: new URL(server.url).port,
    HEARTH_DATA: server.data,
  });
  const hearth = async (...words: string[]): Promise<string> => {
    let printed = "";
    const program = new Command("hearth").exitOverride().configureOutput({ writeErr: () => undefined });
    addAlertsCommand(program, () => openServer(loaded.config), {
      clock: systemClock,
      out: { write: (text) => (printed += text) },
      err: { write: () => true },
    });
    await program.parseAsync(words, { from: "user" });
    return printed;
  };
  return { server, receiver, hearth };
}

it("hearth alerts adds a channel, tests it, lists the message and removes the channel", async () => {
  const { server, receiver, hearth } = await served();
  const teamId = await server.createTeam("research");
  const added = await hearth(
    "alerts",
    "add",
    "--webhook",
    receiver.url,
    "--team",
    "research",
    "--credit-below",
    "7.5",
  );
  const [, id = ""] = /^added (\S+): /.exec(added) ?? [];
  expect(added).toMatch(/\nsecret: whsec_\S+\nTry it: hearth alerts test \S+\n$/);
  const channels = await hearth("alerts", "channels");
  expect(channels).toMatch(/^ID +KIND +TARGET +TEAM +CREDIT BELOW USD\n/);
  expect(channels).toMatch(new RegExp(`${teamId} +7\\.50\n`));
  expect(await hearth("alerts", "test", id)).toBe("the test was delivered\n");
  expect(receiver.received).toHaveLength(1);
  receiver.answer(500);
  await expect(hearth("alerts", "test", id)).rejects.toThrow(
    "the test was not delivered: the receiver answered with the status 500",
  );
  expect(await hearth("alerts", "deliveries", "--team", "research")).toMatch(
    /^ID +CHANNEL +EVENT +STATE +ATTEMPTS +CREATED +LAST ERROR\n(.* test +(queued|delivered) +1 .*\n){2}$/,
  );
  expect(await hearth("alerts", "rm", id.slice(0, 20))).toContain(`removed ${id}: http`);
  expect(JSON.parse(await hearth("alerts", "channels", "--json"))).toEqual([]);
  expect(await hearth("alerts")).toMatch(/^STATE +KIND +MESSAGE +RAISED +RESOLVED\n/);
});

it("hearth alerts add exits with code 2 without a webhook or an e-mail address, or with both", async () => {
  const { receiver, hearth } = await served();
  for (const words of [[], ["--webhook", receiver.url, "--email", "ada@example.com"]])
    await expect(hearth("alerts", "add", ...words)).rejects.toBeInstanceOf(CommanderError);
});
