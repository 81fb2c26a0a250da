/** Returns where a field is in a client's request, for errors and warnings. */
export type FieldPath = (name: string) => string;

/** The path of a field of the body itself. */
export const inBody: FieldPath = (name) => name;
