/** The filters of Jinja, by name. */
import type { Filter } from "../values/runtime.js";
import { listFilters } from "./filters-list.js";
import { numberFilters } from "./filters-number.js";
import { selectFilters } from "./filters-select.js";
import { textFilters } from "./filters-text.js";
import { valueFilters } from "./filters-value.js";
import { wrapFilters } from "./filters-wrap.js";

export const filters: ReadonlyMap<string, Filter> = new Map([
  ...valueFilters,
  ...numberFilters,
  ...textFilters,
  ...wrapFilters,
  ...listFilters,
  ...selectFilters,
]);
