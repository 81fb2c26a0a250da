/**
 * The thread in which pictures are described. The runtime blocks it for as long as a step takes, and must never be ended within
 * one: that would end the whole process. So it does one thing after another, looks between two steps whether anybody still
 * waits, and is only ended when it has said that it is done with everything.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { Described } from "../../core/vision.js";
import { threadsFor } from "../llama/load/machine.js";
import { giveWay } from "../onnx-threads.js";
import { openerOf } from "./families.js";
import type { Seer, Stopped } from "./family.js";
import type { FromWorker, Replies, ToWorker, VisionModel, VisionSettings } from "./protocol.js";

const settings = workerData as VisionSettings;
const seers = new Map<string, Seer>();
let turn: Promise<void> = Promise.resolve();

giveWay("seeing");
parentPort?.on("message", (message: ToWorker) => {
  turn = turn.then(() => answer(message));
});

async function answer(message: ToWorker): Promise<void> {
  const { call } = message;
  try {
    send({ type: "done", call, value: await reply(message) });
  } catch (thrown) {
    send({
      type: "failed",
      call,
      cause: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
    });
  }
}

function send(message: FromWorker): void {
  parentPort?.postMessage(message);
}

async function reply(message: ToWorker): Promise<Replies[keyof Replies]> {
  switch (message.type) {
    case "load":
      seers.set(message.model.id, await open(message.model));
      return { contextTokens: 0, slots: 1, device: "cpu" };
    case "unload":
      await seers.get(message.id)?.dispose();
      seers.delete(message.id);
      return null;
    case "describe":
      return describe(message);
    case "close":
      for (const seer of seers.values()) await seer.dispose();
      seers.clear();
      return null;
  }
}

async function open({ folder, bytes }: VisionModel): Promise<Seer> {
  const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8")) as { model_type?: unknown };
  const opener = await openerOf(String(config.model_type));
  return opener(folder, { threads: settings.threads ?? threadsFor(bytes, settings.cores) });
}

async function describe(asked: Extract<ToWorker, { type: "describe" }>): Promise<Described | null> {
  const flag = new Int32Array(asked.stop);
  const stopped: Stopped = () => Atomics.load(flag, 0) !== 0;
  const seer = seers.get(asked.id);
  if (seer === undefined) throw new Error(`the model '${asked.id}' is not loaded`);
  if (stopped()) return null;
  const { prompt, detail } = asked.look;
  const seen = [await seer.describe(asked.picture, prompt ?? null, stopped)];
  if (detail === "high" && !stopped()) seen.push(...(await seer.lookCloser(asked.picture, stopped)));
  return stopped() ? null : together(seen);
}

function together(seen: readonly Described[]): Described {
  return {
    text: seen.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n"),
    tokens: seen.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}
