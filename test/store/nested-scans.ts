import type Sqlite from "better-sqlite3";

interface Step {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** Whether a step reads all rows of a table or of a subquery; the elements of a list in a row are few. */
const isScan = ({ detail }: Step): boolean =>
  /^SCAN /.test(detail) && !/CONSTANT ROW|VIRTUAL TABLE/.test(detail);

/**
 * Returns the steps of a statement's query plan that are executed once for each row of another table, and read all rows of theirs: the
 * second table of a join that no index leads to, and subqueries that refer to the row.
 */
export function nestedScansOf(sqlite: Sqlite.Database, text: string): readonly string[] {
  const plan = sqlite.prepare<readonly unknown[], Step>(`explain query plan ${text}`);
  // Every question mark in these statements is a parameter.
  const steps = plan.all(Array.from({ length: text.split("?").length - 1 }, () => null));
  const childrenOf = (id: number): readonly Step[] => steps.filter(({ parent }) => parent === id);
  const scansBelow = (step: Step): readonly Step[] =>
    childrenOf(step.id).flatMap((child) => [...(isScan(child) ? [child] : []), ...scansBelow(child)]);
  const found = steps.flatMap((step) => {
    if (/^CORRELATED/.test(step.detail)) return scansBelow(step);
    if (!isScan(step)) return [];
    const joined = childrenOf(step.parent).filter((other) => isScan(other) && other.id < step.id);
    return joined.length > 0 ? [step] : [];
  });
  return [...new Set(found.map(({ detail }) => detail))];
}
