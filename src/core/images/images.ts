/** Images in a conversation, and the ports that fetch and decode them. */

/** Bytes of the file of one image: xAI's own limit. */
export const imageBytesMax = 10 * 1024 * 1024;

/** How detailed an image is read; `auto` is the same as `low`, and `original` the same as `high`. */
export type ImageDetail = "low" | "auto" | "high" | "original";

/** An image in a message. */
export interface MessageImage {
  /** Position: before this UTF-16 unit of the message's content. Images are ordered by position. */
  readonly at: number;
  /** A `data:` or http(s) URL, as the client wrote it. */
  readonly url: string;
  readonly detail: ImageDetail;
  /** The request's field that holds it, for errors. */
  readonly param: string;
  /** Whether it is left out where it cannot be described, instead of refused; absent = false. */
  readonly optional?: boolean;
}

/** A decoded image: upright, without transparency. */
export interface DecodedImage {
  readonly width: number;
  readonly height: number;
  /** 8 bits each for red, green and blue, row by row from the top. */
  readonly rgb: Uint8Array;
}

/** The port that fetches images. */
export interface ImageFetcher {
  /**
   * Returns the bytes of an image, unchecked.
   * @throws HearthError `invalid_value` naming `param` when the URL is not supported or cannot be read.
   * @throws the signal's reason when it aborts.
   */
  fetch(url: string, param: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** The port that decodes image files. */
export interface ImageDecoder {
  /**
   * @param sideMax scales a larger image down to this many pixels; absent: to the decoder's own limit
   * @throws HearthError `invalid_value` naming `param` when the format is not supported or the file is damaged.
   * @throws the signal's reason when it aborts.
   */
  decode(bytes: Uint8Array, param: string, signal: AbortSignal, sideMax?: number): Promise<DecodedImage>;
}
