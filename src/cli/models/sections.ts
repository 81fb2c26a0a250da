import type { ReportRow } from "./fit-text.js";

/** A title with lines below it. */
type ReportSection = readonly [title: string, rows: readonly ReportRow[]];

/** Characters that would move a terminal's cursor or change the text direction. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Formats sections as `hearth show` prints them; those without lines are left out. Unprintable characters are replaced. */
export function sectionsText(sections: readonly ReportSection[]): string {
  const shown = sections.filter(([, rows]) => rows.length > 0);
  const width = Math.max(0, ...shown.flatMap(([, rows]) => rows.map(([name]) => name.length)));
  const clean = (text: string): string => text.replaceAll(unprintable, "\ufffd");
  return shown
    .map(([title, rows]) => {
      const lines = rows.map(([name, text]) => `  ${clean(name).padEnd(width)}   ${clean(text)}`.trimEnd());
      return `${[clean(title), ...lines].join("\n")}\n`;
    })
    .join("\n");
}
