/** Returns a keyword and its place in the client's schema, for an error. @param pointer JSON Pointer of the subschema */
export function describePlace(keyword: string, pointer: string): string {
  return `'${keyword}' at '#${pointer}'`;
}
