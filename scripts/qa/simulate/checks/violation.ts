/** A guarantee that did not hold. */
export class Violation extends Error {
  constructor(guarantee: string, detail: string) {
    super(`${guarantee}: ${detail}`);
    this.name = "Violation";
  }
}

/** @throws Violation unless the guarantee holds. */
export function holds(condition: boolean, guarantee: string, detail: () => string): void {
  if (!condition) throw new Violation(guarantee, detail());
}
