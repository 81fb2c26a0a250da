import type { Config } from "../config/config.js";
import type { DoctorCheck } from "../core/report/doctor.js";

/** Lists the pinned keys, if there are any: they have all rights. */
export function pinnedKeysChecks({ pinnedKeys }: Config, pins: readonly string[]): readonly DoctorCheck[] {
  if (pins.length === 0) return [];
  const until = pinnedKeys === "keep" ? "pinnedKeys keeps them" : "each ends with its setting";
  return [{ name: "pinned keys", ok: true, detail: `${pins.join(", ")}, with all rights; ${until}` }];
}
