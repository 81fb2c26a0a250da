import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { root } from "../kit/folder.js";
import { startServer } from "../kit/server.js";
import { headersOf, hello, post } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";
import { namesOf } from "./promql.js";

const dashboardSchema = z.object({
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string().min(1),
      type: z.string(),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
  templating: z.object({
    list: z.array(z.object({ query: z.union([z.string(), z.object({ query: z.string() })]) })),
  }),
});
const rulesSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Hearth[A-Za-z]+$/),
          expr: z.string(),
          for: z.string().regex(/^\d+m$/),
          labels: z.strictObject({ severity: z.enum(["warning", "critical"]) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
});

const read = (name: string): string => readFileSync(join(root, "packaging", name), "utf8");
const dashboard = dashboardSchema.parse(JSON.parse(read("grafana-dashboard.json")));
const rules = rulesSchema.parse(parse(read("prometheus-alerts.yaml"))).groups.flatMap((group) => group.rules);
const variables = dashboard.templating.list.map(({ query }) =>
  typeof query === "string" ? query : query.query,
);
const expressions = [
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...variables.filter((query) => query.startsWith("label_values(")),
  ...rules.map(({ expr }) => expr),
];

/** Labels that Prometheus itself adds. */
const ofPrometheus = ["job", "instance", "le"];

/** Returns the names of all metrics of a server with one run and a Redis that does not answer, and the names of their labels. */
async function exposed() {
  const config = { redisUrl: "redis://127.0.0.1:1" };
  const server = await startServer({ engine: () => ["Good"], config });
  await (await post(server, hello)).text();
  const text = await (await fetch(`${server.url}/metrics`, { headers: headersOf(keys.ada) })).text();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => ({
    name,
    type,
  }));
  const suffixes = ["_bucket", "_sum", "_count"];
  const metrics = types.flatMap(({ name, type }) =>
    type === "histogram" ? suffixes.map((suffix) => `${name}${suffix}`) : [name],
  );
  const labels = [...text.matchAll(/([a-zA-Z_]+)="/g)].map(([, label = ""]) => label);
  return { metrics: new Set(metrics), labels: new Set([...labels, ...ofPrometheus]) };
}

describe("the dashboard and the alert rules", () => {
  it("name metrics and labels only that a server has", async () => {
    const { metrics, labels } = await exposed();
    expect(expressions.length).toBeGreaterThan(25);
    for (const expression of expressions) {
      const names = namesOf(expression);
      expect(names.metrics, expression).not.toEqual([]);
      const foreign = names.metrics.filter((name) => !metrics.has(name) && name !== "up");
      expect(foreign, expression).toEqual([]);
      expect(
        names.labels.filter((name) => !labels.has(name)),
        expression,
      ).toEqual([]);
    }
  });

  it("have each panel and each alert once", () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const alerts = rules.map(({ alert }) => alert);
    expect(new Set(alerts).size).toBe(alerts.length);
    for (const { title, type, targets } of dashboard.panels)
      expect(targets.length, title).toBeGreaterThanOrEqual(type === "row" ? 0 : 1);
  });
});

describe("namesOf", () => {
  it("finds the metrics and the labels of an expression, not its functions, values and durations", () => {
    const expression =
      'histogram_quantile(0.9, sum by (le, model) (rate(a_bucket{job="x", b!~"c.d"}[5m]))) > 2';
    expect(namesOf(expression)).toEqual({ metrics: ["a_bucket"], labels: ["le", "model", "job", "b"] });
    expect(namesOf("label_values(d_total, team)")).toEqual({ metrics: ["d_total"], labels: ["team"] });
  });
});
