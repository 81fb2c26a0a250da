// The arrows of the house: who may import whom. `npm test -- imports` holds src/ to them; test/tidy.test.ts shows that each
// rule catches what it forbids.

/** The folders that know nothing but core; true siblings, so that each can be swapped without a look at the others. */
const overCore = ["dialects", "engine", "grammar", "scheduler", "store", "accounts", "models", "inference"];

/** Files of src/ that a folder may import beside its own and core's. */
const extra = { engine: ["grammar/"] };

const inSrc = (...paths) => `^src/(${paths.join("|")})`;

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-cycle",
      comment: "Two files that import each other are one file cut in the wrong place.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "core-imports-nothing",
      comment: "core/ holds nouns, laws and ports: not even a package, not even a part of Node.",
      severity: "error",
      from: { path: inSrc("core/") },
      to: { pathNot: inSrc("core/") },
    },
    ...overCore.map((folder) => ({
      name: `${folder}-imports-core`,
      comment: "Siblings never meet; only app.ts knows them all.",
      severity: "error",
      from: { path: inSrc(`${folder}/`) },
      to: { path: "^src/", pathNot: inSrc("core/", `${folder}/`, ...(extra[folder] ?? [])) },
    })),
    {
      name: "dialects-never-meet",
      comment:
        "A dialect shares with the others only what lies beside their folders: error-body.ts and sse.ts.",
      severity: "error",
      from: { path: "^src/dialects/([^/]+)/" },
      to: { path: "^src/dialects/[^/]+/", pathNot: "^src/dialects/$1/" },
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
      comment: "dialects/ and grammar/ turn values into values; they have no part of Node to do I/O with.",
      severity: "error",
      from: { path: inSrc("dialects/", "grammar/") },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "http-imports-downward",
      severity: "error",
      from: { path: inSrc("http/") },
      to: {
        path: "^src/",
        pathNot: inSrc("http/", "inference/", "accounts/", "models/", "dialects/", "core/"),
      },
    },
    {
      name: "console-imports-nothing",
      comment: "The console is a pure client of the public API.",
      severity: "error",
      from: { path: inSrc("console/") },
      to: { path: "^src/", pathNot: inSrc("console/") },
    },
    {
      name: "top-files-import-core",
      severity: "error",
      from: { path: inSrc("(config|system|version)\\.ts$") },
      to: { path: "^src/", pathNot: inSrc("core/") },
    },
    {
      name: "app-imports-downward",
      severity: "error",
      from: { path: inSrc("app\\.ts$", "app/") },
      to: { path: inSrc("main\\.ts$", "cli/", "console/") },
    },
    {
      name: "app-alone-has-its-rooms",
      comment: "app/ is the composition root in parts: app.ts puts them together, nobody else takes one.",
      severity: "error",
      from: { path: "^src/", pathNot: inSrc("app\\.ts$", "app/") },
      to: { path: inSrc("app/") },
    },
    {
      name: "cli-imports-app",
      comment: "A command asks the app; it takes no part of it to pieces.",
      severity: "error",
      from: { path: inSrc("cli/") },
      to: { path: "^src/", pathNot: inSrc("cli/", "(app|config|version)\\.ts$", "core/", "accounts/") },
    },
    {
      name: "cli-takes-only-types-of-accounts",
      severity: "error",
      from: { path: inSrc("cli/") },
      to: { path: inSrc("accounts/"), dependencyTypesNot: ["type-only"] },
    },
    {
      name: "main-imports-app-and-cli",
      comment:
        "main.ts hands the machine's clock and environment over; what is built from them is built by app.ts.",
      severity: "error",
      from: { path: inSrc("main\\.ts$") },
      to: { path: "^src/", pathNot: inSrc("cli/", "(app|config|system|version)\\.ts$", "core/") },
    },
    {
      name: "nobody-imports-main",
      severity: "error",
      from: {},
      to: { path: inSrc("main\\.ts$") },
    },
    {
      name: "only-known-rooms",
      comment: "A new folder or file at the top of src/ needs its arrows here first.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: inSrc(
          "app/",
          "core/",
          ...overCore.map((folder) => `${folder}/`),
          "http/",
          "console/",
          "cli/",
          "(app|config|system|version|main)\\.ts$",
        ),
      },
      to: {},
    },
    {
      name: "sql-stays-in-store",
      comment: "Rule 20: no SQL outside store/.",
      severity: "error",
      from: { path: "^src/", pathNot: inSrc("store/") },
      to: { path: "(^|/)(kysely|better-sqlite3)(/|$)" },
    },
    {
      name: "src-imports-only-src",
      comment: "The server stands without its tests and scripts.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|scripts|dist|models|data)/" },
    },
    {
      name: "imports-resolve",
      severity: "error",
      from: { path: "^src/" },
      to: { couldNotResolve: true, path: "^(\\.|/|src/)" },
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
