/** Returns a function that returns each of the first values unchanged, and `other` for further ones. */
export function boundedLabel(valuesMax: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= valuesMax) return "other";
    known.add(value);
    return value;
  };
}
