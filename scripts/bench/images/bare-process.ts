import { fileURLToPath } from "node:url";
import { once } from "node:events";
import { startProcess, stopProcess } from "../processes.js";
import type { PainterModel, SeerModel } from "./models.js";

/** What the process is to open. */
export interface BareSettings {
  readonly seer: SeerModel;
  readonly painter: PainterModel & {
    /** Of the image that is drawn. */
    readonly width: number;
    readonly height: number;
    /** Tokens of its text. */
    readonly textTokens: number;
  };
}

export type BareWork =
  | {
      readonly type: "describe";
      /** Red, green and blue of every pixel, of the size that the model sees. */
      readonly rgb: Uint8Array;
    }
  | { readonly type: "draw" };

/** What a piece of work took: tokens of a description, steps of a drawing. */
export interface BareTime {
  readonly ms: number;
  readonly steps: number;
}

export interface Bare {
  /** Does one piece of work after another. */
  do(work: BareWork): Promise<BareTime>;
  close(): Promise<void>;
}

/** Starts the bare runtime in a process of its own. @throws Error when it ends before it has opened the models. */
export async function startBare(settings: BareSettings): Promise<Bare> {
  const program = fileURLToPath(new URL("./bare.ts", import.meta.url));
  const child = startProcess(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), program, JSON.stringify(settings)],
    { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "advanced" },
  );
  const answered = async (): Promise<BareTime> => {
    const ended = new AbortController();
    const onExit = (): void => ended.abort(new Error("the bare runtime ended too early"));
    child.once("exit", onExit);
    try {
      const [time] = (await once(child, "message", { signal: ended.signal })) as [BareTime];
      return time;
    } finally {
      child.off("exit", onExit);
    }
  };
  await answered();
  return {
    do(work) {
      const time = answered();
      child.send(work);
      return time;
    },
    close: () => stopProcess(child),
  };
}
