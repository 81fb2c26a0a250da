/** A file type, detected by the first bytes; the client's file name and media type are ignored. */
type FileKind = keyof typeof names;

/** The supported types, and known types that are rejected by name. */
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

/** Detects the type of a file. @returns null for an unknown type. */
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
  // Text in any of the encodings of XML.
  return /<svg[\s>]|<\?xml/i.test(start.replaceAll("\0", "")) ? "svg" : null;
}

/** Returns why a file of that type is not supported, as a clause; null when it is. */
export function unreadable(kind: FileKind | null): string | null {
  const served = "PNG, JPEG, WebP and GIF images are read";
  if (kind === null) return `is not an image of a known type; ${served}`;
  return readable.has(kind) ? null : `is ${names[kind]}; ${served}`;
}
