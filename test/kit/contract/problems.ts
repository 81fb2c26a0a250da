/** Collects the problems of responses; test/kit/setup/contract.ts takes them when a test ends. */
const found: string[] = [];

export function reportProblem(problem: string): void {
  found.push(problem);
}

/** Returns all problems and clears the list. */
export function takeProblems(): readonly string[] {
  return found.splice(0);
}
