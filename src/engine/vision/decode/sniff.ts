/** What a file is, by its first bytes; its name and media type are a client's word and count for nothing. */
export type FileKind = keyof typeof names;

/** Kinds that are read, and kinds that are known well enough to be refused by name. */
const names = {
  png: "a PNG image",
  jpeg: "a JPEG image",
  webp: "a WebP image",
  gif: "a GIF image",
  svg: "an SVG image",
  heic: "a HEIC image",
  avif: "an AVIF image",
  tiff: "a TIFF image",
  bmp: "a BMP image",
  pdf: "a PDF document",
} as const;

const readable: ReadonlySet<FileKind> = new Set(["png", "jpeg", "webp", "gif"]);

const startCharsMax = 1024;
const heicBrands = /^(heic|heix|heim|heis|hevc|hevx|mif1|msf1)/;

/** @returns null for what is none of the kinds known. */
export function sniff(bytes: Uint8Array): FileKind | null {
  const start = Buffer.from(bytes.subarray(0, startCharsMax)).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (start.startsWith("\xff\xd8\xff")) return "jpeg";
  if (/^RIFF[^]{4}WEBP/.test(start)) return "webp";
  if (/^GIF8[79]a/.test(start)) return "gif";
  if (/^II\*\0|^MM\0\*/.test(start)) return "tiff";
  if (start.startsWith("BM")) return "bmp";
  if (start.startsWith("%PDF-")) return "pdf";
  if (/^[^]{4}ftypavi[fs]/.test(start)) return "avif";
  if (start.startsWith("ftyp", 4) && heicBrands.test(start.slice(8))) return "heic";
  // Text in any of the encodings that XML may come in.
  return /<svg[\s>]|<\?xml/i.test(start.replaceAll("\0", "")) ? "svg" : null;
}

/** A clause on why a file of that kind is not read; null when it is. */
export function unreadable(kind: FileKind | null): string | null {
  const served = "PNG, JPEG, WebP and GIF images are read";
  if (kind === null) return `is not an image of a known type; ${served}`;
  return readable.has(kind) ? null : `is ${names[kind]}; ${served}`;
}
