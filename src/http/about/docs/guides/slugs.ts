/** Gives the headings of one document their anchors, by the rule that forges follow, so that a link works on both. */
export function createSlugs(): (heading: string) => string {
  const given = new Set<string>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/&#?\w+;/g, "")
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    let unique = slug;
    for (let count = 1; given.has(unique); count++) unique = `${slug}-${count}`;
    given.add(unique);
    return unique;
  };
}
