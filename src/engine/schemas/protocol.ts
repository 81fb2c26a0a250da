/** One piece of work for the thread; answered by one outcome, in order. */
export type SchemaWork =
  | { readonly type: "convert"; readonly schema: unknown; readonly prefix: string; readonly closed: boolean }
  | { readonly type: "check"; readonly schema: unknown; readonly key: string; readonly text: string };

/** A schema's rules. */
export interface Converted {
  readonly rules: ReadonlyMap<string, string>;
  readonly root: string;
  readonly exact: boolean;
}

export type SchemaOutcome =
  | { readonly type: "converted"; readonly converted: Converted }
  | {
      readonly type: "refused";
      readonly message: string;
      readonly keyword: string | null;
      readonly pointer: string;
    }
  | { readonly type: "checked"; readonly wrong: string | null }
  | { readonly type: "failed"; readonly cause: string };
