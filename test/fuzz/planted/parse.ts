/** A bug that no blind mutation finds: four conditions in a row, each on one byte. Coverage shows each that holds. */
export function parsePlanted(bytes: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  let depth = 0;
  if (a * 3 === 201) {
    depth = 1;
    if (b + a === 180) {
      depth = 2;
      if ((c ^ b) === 19) {
        depth = 3;
        if (d - c === 7) throw new TypeError("the planted bug");
      }
    }
  }
  return depth;
}
