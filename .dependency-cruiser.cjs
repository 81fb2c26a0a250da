// Which folders may import which; `npm test -- imports` checks it. In src/, imports point one way:
// main, cli -> app -> http, jobs -> answers -> inference -> accounts, models -> store -> core. The kit of tests imports src/ alone, scripts/
// import src/ and the kit.

/** Each folder of src/ that lies below http/: which others it may import, beside itself and core/. */
const below = {
  grammar: [],
  template: [],
  network: [],
  dialects: [],
  scheduler: [],
  models: ["network/", "accounts/audit/"],
  store: [],
  // The configuration file has settings of models, too.
  config: ["models/settings\\.ts$"],
  engine: ["grammar/", "template/"],
  telemetry: ["accounts/"],
  accounts: ["store/"],
  inference: ["accounts/", "store/", "network/"],
  backup: ["config/", "store/", "accounts/", "inference/", "models/"],
  doctor: ["config/", "store/", "accounts/", "models/", "engine/", "backup/", "http/server/tls\\.ts$"],
  answers: ["inference/", "accounts/", "dialects/", "models/", "store/"],
  jobs: ["answers/", "inference/", "accounts/", "dialects/", "store/", "models/", "network/"],
};

const inSrc = (...paths) => `^src/(${paths.join("|")})`;

/** Files of accounts/ that pages of the console run. */
const runInBrowsers = [
  "accounts/keys/key-settings\\.ts$",
  "accounts/audit/actors\\.ts$",
  "accounts/budgets/budget\\.ts$",
];

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-cycle",
      comment: "Two files that import each other belong in one file, or share a third.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "core-imports-nothing",
      comment: "core/ holds domain types, invariants and ports: no package, no part of Node.",
      severity: "error",
      from: { path: inSrc("core/") },
      to: { pathNot: inSrc("core/") },
    },
    ...Object.entries(below).map(([folder, others]) => ({
      name: `${folder}-imports-downward`,
      comment: "Only app/ knows all folders, because it builds everything.",
      severity: "error",
      from: { path: inSrc(`${folder}/`) },
      to: {
        path: "^src/",
        pathNot: inSrc("core/", "system/", `${folder}/`, ...others),
      },
    })),
    {
      name: "interpreters-import-nothing",
      comment: "template/ is pure, and knows nothing of Hearth.",
      severity: "error",
      from: { path: inSrc("template/") },
      to: { pathNot: inSrc("template/") },
    },
    {
      name: "engines-never-meet",
      comment:
        "What several engines need lies in language/, memory/, worker/, trial/ or native/; text/ and onnx/ put engines together.",
      severity: "error",
      from: { path: "^src/engine/(llama|remote|vision|images|pdf)/" },
      to: {
        path: "^src/engine/",
        pathNot: ["^src/engine/$1/", "^src/engine/(language|memory|worker|trial|native)/"],
      },
    },
    {
      name: "dialects-never-meet",
      comment:
        "A dialect shares with the others only what lies beside their folders, generation and client-tools: error-body.ts and sse.ts.",
      severity: "error",
      from: { path: "^src/dialects/([^/]+)/" },
      to: {
        path: "^src/dialects/[^/]+/",
        pathNot: ["^src/dialects/$1/", "^src/dialects/(client-tools|generation)/"],
      },
    },
    {
      name: "dialects-root-imports-no-dialect",
      comment: "Shared code never asks which dialect it is in.",
      severity: "error",
      from: { path: "^src/dialects/[^/]+$" },
      to: { path: "^src/dialects/[^/]+/" },
    },
    {
      name: "pure-folders-touch-no-node",
      comment: "dialects/, grammar/ and template/ are pure: values in, values out, no I/O.",
      severity: "error",
      from: { path: inSrc("dialects/", "grammar/", "template/") },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "http-imports-downward",
      severity: "error",
      from: { path: inSrc("http/") },
      to: {
        path: "^src/",
        pathNot: inSrc(
          "http/",
          "jobs/",
          "answers/",
          "telemetry/",
          "inference/",
          "accounts/",
          "models/",
          "dialects/",
          "core/",
          "system/",
        ),
      },
    },
    {
      name: "console-imports-types-only",
      comment:
        "The console is a pure client of the public API. It takes the types of answers from http/, where they stand beside their " +
        "schemas. It runs core/, which is pure, and the facts of accounts/ that the API and the commands have, too.",
      severity: "error",
      from: { path: inSrc("console/") },
      to: {
        path: "^src/",
        pathNot: inSrc("console/", "core/", ...runInBrowsers),
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "what-the-console-runs-imports-types",
      comment: "What a page of the console runs imports nothing of the server.",
      severity: "error",
      from: { path: inSrc(...runInBrowsers) },
      to: { dependencyTypesNot: ["type-only"] },
    },
    {
      name: "nothing-imports-the-console",
      comment: "The server serves the files that the build makes of it.",
      severity: "error",
      from: { path: "^src/", pathNot: inSrc("console/") },
      to: { path: inSrc("console/") },
    },
    {
      name: "system-imports-core",
      severity: "error",
      from: {
        path: inSrc("system/"),
      },
      to: { path: "^src/", pathNot: inSrc("system/", "core/") },
    },
    {
      name: "app-imports-downward",
      severity: "error",
      from: { path: inSrc("app/") },
      to: { path: inSrc("main\\.ts$", "cli/", "console/") },
    },
    {
      name: "app-has-one-entrance",
      comment:
        "app/app.ts puts the parts of the composition root together; no other folder imports a part, except main.ts and cli/ the " +
        "operator's interface, the models, pulls and the doctor, for commands that need no server.",
      severity: "error",
      from: { path: "^src/", pathNot: inSrc("app/") },
      to: {
        path: inSrc("app/"),
        pathNot: inSrc("app/(app|doctor|operator/open|models/models|models/pulls)\\.ts$"),
      },
    },
    {
      name: "cli-imports-app",
      comment:
        "A command uses the app as a whole, and reads models, backups and the machine by their own folders.",
      severity: "error",
      from: { path: inSrc("cli/") },
      to: {
        path: "^src/",
        pathNot: inSrc(
          "cli/",
          "app/(app|doctor|operator/open|models/(models|pulls))\\.ts$",
          "store/data-folder\\.ts$",
          "config/(config|configured-url|default-folders)\\.ts$",
          "system/",
          "core/",
          "accounts/",
          "http/",
          "models/",
          "doctor/",
          "backup/",
        ),
      },
    },
    {
      name: "cli-takes-no-service-of-accounts",
      comment: "Commands take types and constants of accounts/; app/app.ts opens the services.",
      severity: "error",
      from: { path: inSrc("cli/") },
      to: {
        path: inSrc("accounts/"),
        pathNot: "/(budget|budget-periods|key-settings|member|spending|team-limit|usage-report)\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "cli-takes-types-of-routes",
      comment: "Commands are clients: of http/ they take the types of answers.",
      severity: "error",
      from: { path: inSrc("cli/") },
      to: { path: inSrc("http/"), dependencyTypesNot: ["type-only"] },
    },
    {
      name: "main-imports-app-and-cli",
      comment: "main.ts passes the machine's clock and environment on; app.ts builds everything from them.",
      severity: "error",
      from: { path: inSrc("main\\.ts$") },
      to: {
        path: "^src/",
        pathNot: inSrc(
          "cli/",
          "app/(operator/open|models/models|models/pulls)\\.ts$",
          "backup/(create|restore|move-database)\\.ts$",
          "doctor/model-fit\\.ts$",
          "config/config\\.ts$",
          "system/",
          "core/",
        ),
      },
    },
    {
      name: "nobody-imports-main",
      severity: "error",
      from: {},
      to: { path: inSrc("main\\.ts$") },
    },
    {
      name: "only-known-folders",
      comment: "A new folder or file at the top of src/ needs its imports listed here first.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: inSrc(
          "app/",
          "core/",
          ...Object.keys(below).map((folder) => `${folder}/`),
          "http/",
          "console/",
          "cli/",
          "main\\.ts$",
          "system/",
        ),
      },
      to: {},
    },
    {
      name: "sql-stays-in-store",
      comment: "Rule 14: no SQL outside store/ and files called store.ts.",
      severity: "error",
      from: { path: "^src/", pathNot: "(^src/|/)store/|/store\\.ts$" },
      to: { path: "(^|/)(kysely|better-sqlite3)(/|$)" },
    },
    {
      name: "src-imports-only-src",
      comment: "The server runs without its tests and scripts.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|scripts|dist|models|data)/" },
    },
    {
      name: "kit-imports-src",
      comment: "What tests and scripts share lies in the kit, and knows neither.",
      severity: "error",
      from: { path: "^test/kit/" },
      to: { path: "^(test|scripts)/", pathNot: "^test/kit/" },
    },
    {
      name: "scripts-import-the-kit",
      severity: "error",
      from: { path: "^scripts/" },
      to: { path: "^test/", pathNot: "^test/kit/" },
    },
    {
      name: "scripts-are-imported-by-their-tests",
      comment: "What other tests share with a script belongs in the kit.",
      severity: "error",
      from: {
        path: "^test/",
        pathNot: [
          "^test/(kit|scripts|fuzz|simulation|tidy)/",
          // Tests of the evaluation of the built-in models, and of a package.
          "^test/(end-to-end/captions/loop|models/eval-builtin|end-to-end/process/package|packaging/install)\\.test\\.ts$",
        ],
      },
      to: { path: "^scripts/" },
    },
    {
      name: "imports-resolve",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, path: "^(\\.|/|src/|test/|scripts/)" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "types", "default"],
    },
  },
};
