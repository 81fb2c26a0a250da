import type { Picture } from "../../core/images.js";
import type { Described } from "../../core/vision.js";

/** Whether a description has to end where it is; asked between two steps of the model. */
export type Stopped = () => boolean;

/** How a family's parts are read from a folder. */
export interface OpenOptions {
  /** Threads of one step. */
  readonly threads: number;
}

/** A model in memory, whatever its family makes of a picture. */
export interface Seer {
  /** Says what is on a picture; `prompt` is asked of models that can be asked, null: what is on it. */
  describe(picture: Picture, prompt: string | null, stopped: Stopped): Promise<Described>;
  /** Says what a second, closer look shows, one sentence or text for each thing found. */
  lookCloser(picture: Picture, stopped: Stopped): Promise<readonly Described[]>;
  dispose(): Promise<void>;
}

/** Opens the model in a folder. @throws whatever the runtime does. */
export type OpenSeer = (folder: string, options: OpenOptions) => Promise<Seer>;
