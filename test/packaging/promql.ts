/** Functions, aggregations and words of PromQL, and the query of Grafana's variables. */
const words = new Set([
  ...["sum", "rate", "increase", "histogram_quantile", "by", "label_values"],
  ...["avg", "max", "min", "count", "on", "and", "or", "unless", "without", "ignoring"],
]);

/** Returns the names of metrics and labels in an expression of PromQL. */
export function namesOf(expression: string): { metrics: readonly string[]; labels: readonly string[] } {
  const labels: string[] = [];
  const metrics = expression
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, list: string) => {
      labels.push(...list.split(",").map((name) => name.trim()));
      return " ";
    })
    .replace(/\blabel_values\(([^,()]+),\s*(\w+)\)/g, (_, metric: string, label: string) => {
      labels.push(label);
      return ` ${metric} `;
    })
    .replace(/\{([^}]*)\}/g, (_, matchers: string) => {
      for (const [, label = ""] of matchers.matchAll(/([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*"/g))
        labels.push(label);
      return " ";
    })
    .replace(/\[[^\]]*\]/g, " ")
    .match(/(?<![\w$.])[a-zA-Z_:][\w:]*/g);
  return { metrics: (metrics ?? []).filter((name) => !words.has(name)), labels };
}
