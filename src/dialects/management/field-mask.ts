import { z } from "zod";
import { invalidValue } from "../field-error.js";
import { camelCase } from "./fields.js";

/** `fieldMask` of a request that changes something. */
export const fieldMaskField = z
  .string()
  .nullish()
  .describe("Comma-separated names of the fields to change. A named field that is not set is cleared.");

/**
 * Returns the fields to change: with a mask exactly the fields that it names, cleared if they are not set; without a mask the
 * fields that are set.
 * @param cleared every field that can change, with its value when it is not set.
 * @param names additional names of fields on the wire.
 * @throws HearthError `invalid_value` for an unknown name in the mask, and when nothing would change.
 */
export function applyFieldMask<Fields extends object>(
  given: Partial<Fields>,
  cleared: Fields,
  mask: string | null | undefined,
  names: Readonly<Record<string, keyof Fields>> = {},
): Partial<Fields> {
  const known = new Map<string, keyof Fields>([
    ...(Object.keys(cleared) as (keyof Fields & string)[]).map((name) => [name, name] as const),
    ...Object.entries(names),
  ]);
  const wanted = mask?.trim() ? listFields(mask, known) : (Object.keys(given) as (keyof Fields)[]);
  if (wanted.length === 0) throw invalidValue("fieldMask", "is empty, and no field is set");
  const whole = { ...cleared, ...given };
  return wanted.reduce<Partial<Fields>>((change, field) => ({ ...change, [field]: whole[field] }), {});
}

function listFields<Field>(mask: string, known: ReadonlyMap<string, Field>): readonly Field[] {
  return mask.split(",").map((written) => {
    const field = known.get(camelCase(written.trim()));
    if (field !== undefined) return field;
    const choice = [...known.keys()].join(", ");
    throw invalidValue(
      "fieldMask",
      `'${written.trim().slice(0, 100)}' cannot be changed; fields that can be changed: ${choice}`,
    );
  });
}
