/** Writes PNG files byte by byte, including invalid ones that no encoder writes. */
import { crc32, deflateSync } from "node:zlib";

/**
 * Encodes a PNG whose header may claim another size than its data has.
 * @param data uncompressed rows, each after its filter byte.
 * @param palette red, green and blue of each index; absent: pixels are colours.
 */
export function pngOf(width: number, height: number, data: Uint8Array, palette?: Uint8Array): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const colourType = palette === undefined ? 2 : 3;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", Buffer.concat([size, Buffer.of(8, colourType, 0, 0, 0)])),
    ...(palette === undefined ? [] : [chunk("PLTE", palette)]),
    chunk("IDAT", deflateSync(data)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([head, named, check]);
}
