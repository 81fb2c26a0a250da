/** Images in a conversation: where they stand, and how they are read. */

/** How closely an image is looked at; `auto` is as good as `low` here. */
export type ImageDetail = "low" | "auto" | "high";

/** An image that stands in a message. */
export interface MessageImage {
  /** Where: before this UTF-16 unit of the message's content. Images come in the order of their places. */
  readonly at: number;
  /** A `data:` or http(s) URL, as the client wrote it. */
  readonly url: string;
  readonly detail: ImageDetail;
  /** The request's field that holds it, for errors. */
  readonly param: string;
}

/** An image, made ready: upright, without transparency. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** 8 bits each of red, green and blue, row by row from the top. */
  readonly rgb: Uint8Array;
}

/** The port to wherever images are. */
export interface ImageFetcher {
  /**
   * The bytes of an image; what they are is not looked at.
   * @throws HearthError `invalid_value` naming `param`: the URL is none that is read here, or nothing could be read from it.
   * @throws the signal's reason when it aborts.
   */
  fetch(url: string, param: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** The port to whatever reads image files. */
export interface ImageDecoder {
  /**
   * @throws HearthError `invalid_value` naming `param` when it is no image that is read here, or a damaged one.
   * @throws the signal's reason when it aborts.
   */
  decode(bytes: Uint8Array, param: string, signal: AbortSignal): Promise<Picture>;
}
