/** What is said where something does not hold that must hold. */

export class Violation extends Error {
  constructor(guarantee: string, detail?: string) {
    super(detail === undefined ? guarantee : `${guarantee}: ${detail}`);
    this.name = "Violation";
  }
}

/** Receives for each guarantee whether it holds. */
export type Judge = (isHeld: boolean, guarantee: string, detail: () => string) => void;

/** @throws Violation unless the guarantee holds */
export const holds: Judge = (isHeld, guarantee, detail) => {
  if (!isHeld) throw new Violation(guarantee, detail());
};

/** Returns a judge that lists what does not hold, and lets the checks go on. */
export function listViolations(broken: string[]): Judge {
  return (isHeld, guarantee, detail) => {
    if (!isHeld) broken.push(`${guarantee}: ${detail()}`);
  };
}

/** @throws Violation */
export function check(isHeld: boolean, what: () => string): void {
  if (!isHeld) throw new Violation(what());
}
