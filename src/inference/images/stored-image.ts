import type { ImageFormat } from "../../core/images/image-generation.js";
import type { Write } from "../../store/writes.js";

/** An image that can be fetched by its name until it expires. */
export interface StoredImage {
  readonly bytes: Uint8Array;
  readonly format: ImageFormat;
  /** Milliseconds since the epoch. */
  readonly expireTime: number;
}

/** Space for the images of a run, reserved from before the first is generated until the run is settled. */
export interface StorageReservation {
  /** Writes an image. @returns its name, which cannot be guessed. */
  add(bytes: Uint8Array, format: ImageFormat): Promise<string>;
  /** Returns the writes that store what was added; they belong to the transaction that ends the run. */
  insertions(expireTime: number): readonly Write[];
  /** Releases the space; what was added is deleted unless it is stored. A second call does nothing. */
  close(isStored: boolean): Promise<void>;
}
