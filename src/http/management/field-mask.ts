import { invalidValue } from "../../dialects/field-error.js";
import { camelCase } from "./fields.js";

/**
 * What is to change: with a mask exactly the fields that it names, cleared where they are not set; without one, the fields
 * that are set.
 * @param cleared every field that may change, as it is when it is not set.
 * @param names of fields that are called otherwise on the wire.
 * @throws HearthError `invalid_value` for a name in the mask that is none of them, and when nothing would change.
 */
export function masked<Fields extends object>(
  given: Partial<Fields>,
  cleared: Fields,
  mask: string | null | undefined,
  names: Readonly<Record<string, keyof Fields>> = {},
): Partial<Fields> {
  const known = new Map<string, keyof Fields>([
    ...(Object.keys(cleared) as (keyof Fields & string)[]).map((name) => [name, name] as const),
    ...Object.entries(names),
  ]);
  const wanted = mask?.trim() ? fieldsOf(mask, known) : (Object.keys(given) as (keyof Fields)[]);
  if (wanted.length === 0) throw invalidValue("fieldMask", "names nothing, and no field is set");
  const whole = { ...cleared, ...given };
  return wanted.reduce<Partial<Fields>>((change, field) => ({ ...change, [field]: whole[field] }), {});
}

function fieldsOf<Field>(mask: string, known: ReadonlyMap<string, Field>): readonly Field[] {
  return mask.split(",").map((written) => {
    const field = known.get(camelCase(written.trim()));
    if (field !== undefined) return field;
    const choice = [...known.keys()].join(", ");
    throw invalidValue(
      "fieldMask",
      `'${written.trim().slice(0, 100)}' cannot be changed; what can is ${choice}`,
    );
  });
}
