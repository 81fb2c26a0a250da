const textLengthMax = 60;

/** Returns the value of a setting as a command prints it, in one line. */
export function valueText(name: string, value: unknown): string {
  if (name === "keepAlive") return `${Number(value) / 1000} s`;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = text.replaceAll("\n", "\\n");
  return line.length > textLengthMax ? `${line.slice(0, textLengthMax)}...` : line;
}
