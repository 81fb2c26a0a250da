import { startTwoManaged } from "./managed.js";
import { expect, it } from "vitest";
import type { Puller } from "../../src/models/hub/puller.js";
import type { ManagedServer } from "../kit/server.js";
import { until } from "../kit/until.js";

interface Pull {
  readonly id: string;
  readonly state: string;
}

/** Two servers whose pulls end when they are aborted, and which of them have begun one. */
async function startPulling() {
  const begun: string[] = [];
  const servers = await startTwoManaged((name) => ({
    openPuller: (): Promise<Puller> =>
      Promise.resolve({
        check: () => undefined,
        pull(_what, { signal }) {
          begun.push(name);
          return new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(new Error("aborted"))),
          );
        },
      }),
  }));
  return { servers, begun };
}

async function pull(server: ManagedServer): Promise<Pull> {
  return (await server.request("POST", "/admin/models/pull", { model: "acme/tiny" })).body as Pull;
}

async function find(server: ManagedServer, id: string): Promise<Pull> {
  return (await server.request("GET", `/admin/models/pulls/${id}`)).body as Pull;
}

it("a pull is done by one server: the other one returns the same pull, and cancels it", async () => {
  const {
    servers: [first, second],
    begun,
  } = await startPulling();
  const { id } = await pull(first);
  expect(await pull(second)).toMatchObject({ id });
  let isAnswered = false;
  const cancelling = second.request("DELETE", `/admin/models/pulls/${id}`).finally(() => (isAnswered = true));
  await until(() => {
    second.clock.advance(50);
    return isAnswered;
  });
  expect(await cancelling).toMatchObject({ status: 200, body: { id, state: "cancelled" } });
  expect(await find(first, id)).toMatchObject({ state: "cancelled" });
  const { id: next } = await pull(second);
  expect(next).not.toBe(id);
  await until(() => begun.length === 2);
  expect(begun).toEqual(["first", "second"]);
});

it("a pull goes on at another server when its own has ended", async () => {
  const {
    servers: [first, second],
    begun,
  } = await startPulling();
  const { id } = await pull(first);
  await until(() => begun.includes("first"));
  await first.app.close();
  expect(await find(second, id)).toMatchObject({ endTime: null });
  await until(() => {
    second.clock.advance(1_000);
    return begun.includes("second");
  });
  expect(await find(second, id)).toMatchObject({ state: "running" });
});
