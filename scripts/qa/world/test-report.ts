/** What vitest reports as JSON. */
import { z } from "zod";

const schema = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

export type TestReport = z.infer<typeof schema>;

export function parseTestReport(json: string): TestReport {
  return schema.parse(JSON.parse(json));
}
