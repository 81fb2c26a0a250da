import { createRequire } from "node:module";
import { cruise, type ICruiseOptions, type ICruiseResult, type IConfiguration } from "dependency-cruiser";

const { forbidden, options } = createRequire(import.meta.url)(
  "../../.dependency-cruiser.cjs",
) as IConfiguration;

/** Names of the rules that .dependency-cruiser.cjs holds src/ to. */
export const importRules: readonly string[] = (forbidden ?? []).map((rule) => rule.name ?? "unnamed");

/** Rule 3: every import of root/src that .dependency-cruiser.cjs forbids, as `rule: from -> to`. */
export async function importViolations(root: string): Promise<string[]> {
  const ruled: ICruiseOptions = {
    ...options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: forbidden ?? [] },
  };
  const { output } = await cruise(["src"], ruled);
  return (output as ICruiseResult).summary.violations.map(
    ({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`,
  );
}
