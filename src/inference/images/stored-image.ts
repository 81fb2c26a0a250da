import type { ImageFormat } from "../../core/image-generation.js";
import type { Write } from "../../store/write.js";

/** An image that can be fetched by its name for a while. */
export interface KeptImage {
  readonly bytes: Uint8Array;
  readonly format: ImageFormat;
  /** Milliseconds since the epoch. */
  readonly expireTime: number;
}

/** The room that a run's images take, from before the first is drawn until the run is settled. */
export interface ImageRoom {
  /** Writes an image. @returns the name that nobody can guess. */
  add(bytes: Uint8Array, format: ImageFormat): Promise<string>;
  /** The changes that keep what was added, to be made with those that settle the run. */
  insertions(expireTime: number): readonly Write[];
  /** Gives up the room; what was added is deleted unless it is kept. A second call does nothing. */
  close(isKept: boolean): Promise<void>;
}

/** Images that are fetched by URL. One that no settled run has kept is deleted by the next sweep. */
export interface ImageStore {
  /**
   * Makes sure that there is room for a run's images.
   * @param bytesMax of all of them together.
   * @throws HearthError `overloaded` while there is not enough, `invalid_value` where there never is.
   */
  room(runId: string, bytesMax: number): Promise<ImageRoom>;
  /** null when there is none, or no more. */
  find(name: string, now: number): Promise<KeptImage | null>;
  /**
   * Deletes up to `limit` images that expired before `now`, and files that are nobody's. @returns how many had expired; fewer
   * than `limit`: there are no more.
   */
  deleteExpired(now: number, limit: number): Promise<number>;
}
