/** The number of texts per value that are tried. */
const textsMax = 400;

/** Returns compact texts of a value with its keys in every order, up to a limit. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  if (Array.isArray(value)) {
    const items = value.map((item) => textsOf(item));
    return combined(items).map((chosen) => `[${chosen.join(",")}]`);
  }
  const members = Object.entries(value).map(([key, item]) =>
    textsOf(item).map((text) => `${JSON.stringify(key)}:${text}`),
  );
  return orders(members)
    .flatMap((order) => combined(order).map((chosen) => `{${chosen.join(",")}}`))
    .slice(0, textsMax);
}

/** Returns all combinations of one choice each. */
function combined(choices: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let chosen: readonly (readonly string[])[] = [[]];
  for (const texts of choices)
    chosen = chosen.flatMap((before) => texts.map((text) => [...before, text])).slice(0, textsMax);
  return chosen;
}

function orders<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first, index) =>
    orders([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [first, ...rest]),
  );
}
