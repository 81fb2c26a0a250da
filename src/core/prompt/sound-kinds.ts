/** Formats of sound files, by their first bytes. Pure. */

const otherFormats = [
  { at: 0, mark: "fLaC", name: "FLAC" },
  { at: 0, mark: "OggS", name: "Ogg" },
  { at: 4, mark: "ftyp", name: "MP4" },
  { at: 0, mark: "\x1a\x45\xdf\xa3", name: "WebM" },
  { at: 0, mark: "FORM", name: "AIFF" },
] as const;

/** Returns why a file that is neither WAV nor MP3 is not read, as a clause. */
export function describeOtherSound(file: Buffer): string {
  const other = otherFormats.find(({ at, mark }) => file.toString("latin1", at, at + mark.length) === mark);
  return other === undefined ? "is neither WAV nor MP3" : `is ${other.name}; WAV and MP3 are read`;
}

/** Whether a file is WAV. */
export function isWav(file: Buffer): boolean {
  const tag = (at: number): string => file.toString("latin1", at, at + 4);
  return ["RIFF", "RF64"].includes(tag(0)) && tag(8) === "WAVE";
}

/** Whether a file begins as MP3 files do: with a tag or a frame. */
export function beginsAsMp3(file: Buffer): boolean {
  const [first = 0, second = 0] = file;
  return file.toString("latin1", 0, 3) === "ID3" || (first === 0xff && second >= 0xe0);
}
