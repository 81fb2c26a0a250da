/** The lines that `--verbose` prints for a schema that does not pass completely, one per rule. */
import {
  rules,
  type Converted,
  type Lost,
  type Rule,
  type TestVerdict,
  type Verdict,
  type Verdicts,
} from "./verdict.js";

export function lostLine(name: string, lost: Lost): string {
  return `${name} ${lost.kind} at ${lost.stage}`;
}

/** Returns the reasons of both rules; equal reasons become one line. */
export function failingLines(name: string, verdicts: Verdicts): readonly string[] {
  const reasons = rules.map((rule) => [rule, reason(verdicts[rule])] as const);
  const [first, second] = reasons;
  if (first?.[1] === second?.[1]) return first?.[1] == null ? [] : [`${name} ${first[1]}`];
  return reasons.flatMap(([rule, why]: readonly [Rule, string | null]) =>
    why === null ? [] : [`${name} [${rule}] ${why}`],
  );
}

function reason(verdict: Verdict): string | null {
  if ("tests" in verdict) return testReasons(verdict);
  if (verdict.kind === "refused") return `refused, ${verdict.keyword ?? "schema"}: ${verdict.message}`;
  return `${verdict.kind}: ${verdict.message.split("\n").slice(0, 3).join(" | ")}`;
}

function testReasons({ kind, tests }: Converted): string | null {
  const found = tests.flatMap((test, index) => {
    const why = testReason(test);
    return why === null ? [] : [`test ${index} ${why}`];
  });
  return found.length === 0 ? null : `${kind}: ${found.slice(0, 4).join("; ")}`;
}

function testReason({ valid, generated, problem }: TestVerdict): string | null {
  if (valid && problem !== null) return `valid but rejected by the validator (${problem})`;
  if (valid && !generated) return "valid but not generated";
  if (!valid && problem === null && generated) return "invalid but accepted";
  if (!valid && problem === null) return "invalid but accepted by the validator";
  if (!valid && generated) return `invalid but generated, rejected by the validator (${problem ?? ""})`;
  return null;
}
