/** The thread that decodes sound files. */
import { hostWorker } from "../worker/host.js";
import { decodeSound } from "./decode-sound.js";
import type { SoundRequest } from "./protocol.js";

// The library writes what is wrong with a file to the console, for every frame of it.
Reflect.set(console, "error", () => undefined);

hostWorker<SoundRequest>({ answer: decodeSound, exitsOnError: true });
