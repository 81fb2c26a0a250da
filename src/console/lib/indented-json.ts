/** Returns JSON with line breaks; a text that is not JSON stays as it is. */
export function indentedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
