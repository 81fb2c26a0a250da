import { decodeSound } from "../../../../src/engine/audio/decode-sound.js";
import { risingTone, risingToneMp3, silentMp3, wavOf } from "../../../../test/kit/sound-files.js";
import { check } from "../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../target.js";

// As in the thread that decodes files: the library writes to it for every damaged frame.
Reflect.set(console, "error", () => undefined);

const sampleRate = 16_000;
const secondsMax = 60;
const problems =
  /^(is empty|is neither WAV nor MP3|is \w+; WAV and MP3 are read|is damaged: its format [\w ]+|is cut: it states \d+ bytes of sound, and has -?\d+|has no sound|has \d+ samples a second; 1000 to 384000 are read|has \d+ channels; 1 to 8 are read|has (samples of \d+ bits|the codec \d+); integers of 8 to 32 bits and floats of 32 and 64 are read|changes from \d+ to \d+ samples a second)$/;

export const target: FuzzTarget = {
  guarantee: "a file gives sound of finite samples, within the seconds that it may last, or a stated reason",
  format: "bytes",
  bytesMax: 4096,
  msMax: 20_000,
  corpus: "sound",
  words: [
    "RIFF",
    "WAVE",
    "fmt ",
    "data",
    "LIST",
    "ID3",
    "TAG",
    "Xing",
    "Info",
    "LAME",
    "VBRI",
    "\u{ff}\u{fb}",
  ],
  seeds: () => [
    wavOf(risingTone(), 0.02),
    wavOf(risingTone(), 0.01, { sampleRate: 44_100, channels: 2, bits: 24 }),
    wavOf(risingTone(), 0.01, { bits: 32, isFloat: true }),
    risingToneMp3().subarray(0, 2_000),
    Buffer.concat([Buffer.from("ID3\x03\0\0\0\0\0\x02ab", "latin1"), silentMp3(1)]),
  ],
  async run(input) {
    const base64 = Buffer.from(input).toString("base64");
    const outcome = await decodeSound({ type: "decode", base64, sampleRate, secondsMax });
    if (outcome.type === "too-long") return "too long";
    if (outcome.type === "refused") {
      check(problems.test(outcome.problem), () => `the reason is ${outcome.problem}`);
      return toLabel(outcome.problem);
    }
    const { pcm } = outcome;
    check(pcm.length > 0 && pcm.length <= (secondsMax + 1) * sampleRate, () => `${pcm.length} samples`);
    check(pcm.every(Number.isFinite), () => "a sample is no number");
    return "sound";
  },
};
