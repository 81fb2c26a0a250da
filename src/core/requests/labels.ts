/** What a client says of a request, besides what it asks: whom it is for, and texts of the client's own. None of it changes the answer. */
export interface RequestLabels {
  readonly user?: string;
  readonly safety_identifier?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}
