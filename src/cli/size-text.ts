/** Returns a size such as `19 MB` or `5.1 GB`. */
export function sizeText(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
