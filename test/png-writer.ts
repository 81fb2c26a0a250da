/** Writes PNG files byte by byte, such as no encoder writes them. */
import { crc32, deflateSync } from "node:zlib";

/**
 * A PNG whose head claims a size that its data need not have.
 * @param data rows, each after its filter's byte, before they are packed.
 * @param palette red, green and blue of each index; absent: pixels are colours themselves.
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
