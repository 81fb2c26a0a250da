/**
 * `npm run bench [-- SECTION...] [--large] [--requests N] [--postgres URL] [--data DIR [--limit N]
 * [--only TEXT] [--verbose]]`: measures and prints; it never fails because of a result. Each section runs what it compares
 * side by side in one run, because absolute times on a shared machine mean little; quote ratios and medians.
 */
import { parseArgs } from "node:util";
import { accountsSection } from "./bench/accounts.js";
import { consoleSection } from "./bench/console.js";
import { contextSection } from "./bench/context.js";
import { engineSection } from "./bench/engine.js";
import { httpSection } from "./bench/http.js";
import { imagesSection } from "./bench/images.js";
import { limitsSection } from "./bench/servers/limits.js";
import { mediaSection } from "./bench/media.js";
import { nodesSection } from "./bench/servers/nodes.js";
import { postgresSection } from "./bench/servers/postgres.js";
import { routingSection } from "./bench/servers/routing.js";
import { loadSection } from "./bench/load.js";
import type { SectionOptions } from "./bench/options.js";
import { schemaSection } from "./bench/schema.js";
import { startSection } from "./bench/start.js";
import { templatesSection } from "./bench/templates.js";
import { usageSection } from "./bench/usage.js";
import { readNames, readWhole, runCommand } from "./world/options.js";
import { printTable, type Row } from "./figures/table.js";

type Section = (options: SectionOptions) => Promise<readonly Row[]> | AsyncIterable<readonly Row[]>;

const sections: Readonly<Record<string, Section>> = {
  accounts: accountsSection,
  console: consoleSection,
  start: startSection,
  http: httpSection,
  engine: engineSection,
  context: contextSection,
  images: imagesSection,
  limits: limitsSection,
  load: loadSection,
  media: mediaSection,
  nodes: nodesSection,
  postgres: postgresSection,
  routing: routingSection,
  schema: schemaSection,
  templates: templatesSection,
  usage: usageSection,
};

interface Arguments {
  /** The sections that are measured; none: all. */
  readonly names: readonly string[];
  readonly options: SectionOptions;
}

await runCommand("bench", readArguments, measureSections);

async function measureSections({ names, options }: Arguments): Promise<number> {
  for (const [name, measure] of Object.entries(sections)) {
    if (names.length > 0 && !names.includes(name)) continue;
    process.stdout.write(`\n${name}\n`);
    const measured = measure(options);
    if (measured instanceof Promise) printTable(await measured);
    else for await (const rows of measured) printTable(rows);
  }
  return 0;
}

function readArguments(): Arguments {
  const { values, positionals: names } = parseArgs({
    options: {
      large: { type: "boolean", default: false },
      requests: { type: "string", default: "5000" },
      data: { type: "string" },
      postgres: { type: "string" },
      limit: { type: "string" },
      only: { type: "string", default: "" },
      verbose: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  readNames("section", names.join(","), Object.keys(sections));
  const { large, only, verbose } = values;
  const limit = values.limit === undefined ? null : readWhole("--limit", values.limit, 1_000_000);
  const requests = readWhole("--requests", values.requests, 10_000_000, 1_000);
  const schema = { data: values.data ?? null, limit, only, verbose };
  return { names, options: { large, requests, postgres: values.postgres ?? null, schema } };
}
