/** The messages between the server and the thread that decodes sound files. */

export interface SoundRequest {
  readonly type: "decode";
  readonly base64: string;
  /** Samples a second of what is returned. */
  readonly sampleRate: number;
  readonly secondsMax: number;
}

interface Sound {
  readonly type: "sound";
  /** One channel, shared between threads. */
  readonly pcm: Float32Array;
  /** Hex digest of the samples and their rate. */
  readonly digest: string;
}

interface Refused {
  readonly type: "refused";
  /** Why, as a clause. */
  readonly problem: string;
}

export type SoundOutcome = Sound | Refused | { readonly type: "too-long" };

export interface SoundReplies {
  readonly decode: SoundOutcome;
}
