import { once } from "node:events";
import { spawnScript, stopProcess } from "../../world/processes.js";
import type { ImageModel, VisionModel } from "./models.js";

/** The models that the process opens. */
export interface BareSettings {
  readonly visionModel: VisionModel;
  readonly painter: ImageModel & {
    /** The size of the generated image. */
    readonly width: number;
    readonly height: number;
    /** The number of tokens of the prompt. */
    readonly textTokens: number;
  };
}

export type BareWork =
  | {
      readonly type: "describe";
      /** Red, green and blue of every pixel, in the input size of the model. */
      readonly rgb: Uint8Array;
    }
  | { readonly type: "draw" };

/** The time of one job, and its steps: tokens of a caption, or denoising steps of an image. */
export interface BareTime {
  readonly ms: number;
  readonly steps: number;
}

export interface Bare {
  /** Runs one job after another. */
  do(work: BareWork): Promise<BareTime>;
  close(): Promise<void>;
}

/** Starts the bare runtime in a separate process. @throws Error if it ends before it has opened the models */
export async function startBare(settings: BareSettings): Promise<Bare> {
  const child = spawnScript(new URL("./bare.ts", import.meta.url), [JSON.stringify(settings)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    serialization: "advanced",
  });
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
