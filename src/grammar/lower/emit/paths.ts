import type { RuleBook } from "../../gbnf.js";
import { SchemaRefusal } from "../../schema/refusal.js";

/** Ways through the rules that begin with rules; the engine walks every one of them before the first character. */
const pathsMax = 100_000;

/** @throws SchemaRefusal where the rules reachable from `root` begin with one another in too many ways, or for ever */
export function checkPaths(rules: RuleBook, root: string): void {
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

/** The rules that alternatives begin with, those after something that may be absent among them. */
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
    `The grammar of the schema has more than ${pathsMax} ways to begin; use fewer alternatives inside alternatives.`,
    { keyword: null, pointer: "" },
  );
}
