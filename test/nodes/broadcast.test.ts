import { expect, it, onTestFinished } from "vitest";
import type { ConnectedBroadcast } from "../../src/store/postgres/broadcast.js";
import { connectBroadcast } from "../../src/store/postgres/broadcast.js";
import { parsePostgresUrl } from "../../src/store/postgres/address.js";
import { systemClock } from "../../src/system/clock.js";
import { until } from "../kit/until.js";
import { newPostgresUrl } from "../kit/databases/postgres/databases.js";
import { proxyOf } from "../kit/databases/postgres/proxy.js";

async function connected(url: string): Promise<ConnectedBroadcast> {
  const broadcast = await connectBroadcast(parsePostgresUrl(url), systemClock);
  onTestFinished(() => broadcast.close());
  return broadcast;
}

it("messages of any length and alphabet reach every other server, whole and in order, and not the sender", async () => {
  const url = await newPostgresUrl();
  const [one, two, three] = [await connected(url), await connected(url), await connected(url)];
  const got: Record<string, unknown[]> = { one: [], two: [], three: [] };
  one.on("numbers", (message) => got["one"]?.push(message));
  two.on("numbers", (message) => got["two"]?.push(message));
  three.on("numbers", (message) => got["three"]?.push(message));
  three.on("others", () => got["three"]?.push("of another topic"));
  const messages = [1, "ä 😀 \u0007".repeat(5_000), { a: [null, "x".repeat(100_000)] }, "", "last"];
  for (const message of messages) one.send("numbers", message);
  two.send("numbers", "from two");
  await until(() => got["two"]?.length === 5 && got["three"]?.length === 6 && got["one"]?.length === 1);
  expect(got["two"]).toEqual(messages);
  expect(got["three"]?.filter((message) => message !== "from two")).toEqual(messages);
  expect(got["one"]).toEqual(["from two"]);
});

it("a server whose connection was cut gets messages again once the database can be reached", async () => {
  const url = await newPostgresUrl();
  const proxy = await proxyOf(url);
  const [steady, cut] = [await connected(url), await connected(proxy.url)];
  const got: unknown[] = [];
  cut.on("topic", (message) => got.push(message));
  steady.send("topic", "before");
  await until(() => got.length === 1);
  proxy.cut();
  steady.send("topic", "lost");
  cut.send("topic", "not sent");
  proxy.restore();
  let sent = 0;
  await until(() => {
    steady.send("topic", `after ${++sent}`);
    return got.length > 1;
  });
  expect(got[1]).toMatch(/^after/);
});
