import type { Budget } from "../../api/budgets.js";
import type { ApiKey } from "../../api/keys.js";

/** The open dialog of a key. */
export type OpenKey =
  | { readonly kind: "edit" | "rotate" | "delete" | "create-budget"; readonly key: ApiKey }
  | { readonly kind: "edit-budget" | "remove-budget"; readonly key: ApiKey; readonly budget: Budget };
