import type { RuleSet } from "../../gbnf.js";
import { SchemaRefusal } from "../../schema/refusal.js";

/**
 * The number of derivation paths through leading rule names; the engine expands all of them before the first
 * character.
 */
const pathsMax = 100_000;

/**
 * Checks the leading rules of all rules reachable from `root`. @throws SchemaRefusal for left recursion or
 * too many paths
 */
export function checkPaths(rules: RuleSet, root: string): void {
  const firsts = new Map<string, readonly string[]>();
  for (const [name, rightSide] of rules.entries(root)) firsts.set(name, firstRules(rightSide));
  const counts = new Map<string, number>();
  const entered = new Set<string>();
  for (const start of firsts.keys()) {
    const stack = [start];
    for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
      const inner = firsts.get(name) ?? [];
      const first = !entered.has(name);
      entered.add(name);
      const open = inner.filter((other) => !counts.has(other));
      if (first && open.length > 0) {
        if (open.some((other) => entered.has(other))) throw tooManyPaths();
        stack.push(...open);
        continue;
      }
      stack.pop();
      const count = inner.reduce((sum, other) => sum + (counts.get(other) ?? 0), 1);
      if (count > pathsMax) throw tooManyPaths();
      counts.set(name, count);
    }
  }
}

const tokens = /"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[a-z][a-z0-9-]*|[|()*?+]|\{[^}]*\}/gu;

/** Returns the rule names that can begin a right-hand side, including those after optional parts. */
function firstRules(rightSide: string): readonly string[] {
  const firsts: string[] = [];
  const groups: boolean[] = [];
  let starts = true;
  let before = true;
  for (const [token] of rightSide.matchAll(tokens)) {
    if (token === "|") starts = groups.at(-1) ?? true;
    else if (token === "(") groups.push(starts);
    else if (token === ")") {
      before = groups.pop() ?? true;
      starts = false;
    } else if (token === "?" || token === "*" || token.startsWith("{")) starts = before;
    else if (token !== "+") {
      if (starts && !token.startsWith('"') && !token.startsWith("[")) firsts.push(token);
      before = starts;
      starts = starts && token === '""';
    }
  }
  return firsts;
}

function tooManyPaths(): SchemaRefusal {
  return new SchemaRefusal(
    `The grammar of the schema has more than ${pathsMax} paths to its first character; use fewer alternatives inside alternatives.`,
    { keyword: null, pointer: "" },
  );
}
