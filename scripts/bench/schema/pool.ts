/** Runs jobs in a process of their own, so that a schema that kills it or holds it up is a count and not the end. */
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startProcess } from "../processes.js";
import type { Answer, Job, Lost, Message } from "./verdict.js";

/** How long the process may go without a word: each step of a job gets as long. */
const silenceMsMax = 5000;
/** Loading llama.cpp on a busy machine. */
const startMsMax = 60_000;

export interface Pool {
  run(job: Job): Promise<Answer | Lost>;
  close(): void;
}

/** @param stderr "ignore" keeps llama.cpp's own words off the screen. */
export function createPool(stderr: "inherit" | "ignore"): Pool {
  let child: ChildProcess | null = null;

  const ready = async (): Promise<ChildProcess> => {
    if (child !== null) return child;
    const program = fileURLToPath(new URL("./child.ts", import.meta.url));
    const started = startProcess(process.execPath, ["--import", import.meta.resolve("tsx"), program], {
      stdio: ["ignore", "ignore", stderr, "ipc"],
    });
    const first = await listen(started, startMsMax, (message) => message.type === "alive");
    if ("kind" in first) throw new Error(`the judging process ${first.kind} while it started`);
    child = started;
    return started;
  };

  return {
    async run(job) {
      const process_ = await ready();
      process_.send(job);
      const heard = await listen(process_, silenceMsMax, (message) => message.type === "done");
      if ("kind" in heard) {
        process_.kill("SIGKILL");
        child = null;
        return heard;
      }
      if (heard.type !== "done") throw new Error("the judging process ended a job without an answer");
      return heard.answer;
    },
    close() {
      child?.disconnect();
      child = null;
    },
  };
}

/** The first message that is looked for; lost when the process dies or is silent for too long. */
function listen(
  child: ChildProcess,
  silenceMs: number,
  wanted: (message: Message) => boolean,
): Promise<Message | Lost> {
  return new Promise((resolve) => {
    let stage = "start";
    const end = (result: Message | Lost): void => {
      clearTimeout(timer);
      child.off("message", hear);
      child.off("exit", died);
      resolve(result);
    };
    const died = (): void => end({ kind: "crashed", stage });
    const hear = (message: Message): void => {
      timer.refresh();
      if (message.type === "alive") stage = message.stage;
      if (wanted(message)) end(message);
    };
    const timer = setTimeout(() => end({ kind: "hung", stage }), silenceMs);
    child.on("message", hear);
    child.once("exit", died);
  });
}
