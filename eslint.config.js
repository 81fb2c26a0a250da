// Rules that tsc and prettier do not check. Layers are in .dependency-cruiser.cjs, sizes and names in
// test/tidy.test.ts.
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** The system clock itself, and the engine's worker threads and processes, which have their own. */
const clockFiles = [
  "src/system.ts",
  "src/engine/llama/worker.ts",
  "src/engine/thread-clock.ts",
  "src/console/lib/clock.ts",
];
const environmentFiles = ["src/config.ts", "src/main.ts"];

const time = [
  { object: "Date", property: "now", message: "Take a Clock as a parameter." },
  { object: "performance", property: "now", message: "Take a Clock as a parameter." },
  { object: "Math", property: "random", message: "Take a Random as a parameter." },
];
const environment = [{ object: "process", property: "env", message: "Take a Config as a parameter." }];
const newDate = {
  selector: "NewExpression[callee.name='Date'][arguments.length=0]",
  message: "Take a Clock as a parameter.",
};

/** Rules of eslint itself against common mistakes. */
const mistakes = [
  "no-async-promise-executor",
  "no-case-declarations",
  "no-cond-assign",
  "no-constant-binary-expression",
  "no-constant-condition",
  "no-control-regex",
  "no-debugger",
  "no-dupe-else-if",
  "no-duplicate-case",
  "no-empty",
  "no-empty-character-class",
  "no-empty-pattern",
  "no-eval",
  "no-extra-boolean-cast",
  "no-fallthrough",
  "no-invalid-regexp",
  "no-irregular-whitespace",
  "no-loss-of-precision",
  "no-misleading-character-class",
  "no-prototype-builtins",
  "no-regex-spaces",
  "no-self-assign",
  "no-self-compare",
  "no-shadow-restricted-names",
  "no-sparse-arrays",
  "no-unreachable-loop",
  "no-unsafe-finally",
  "no-unsafe-optional-chaining",
  "no-unused-labels",
  "no-useless-catch",
  "no-useless-escape",
  "no-var",
  "prefer-const",
  "require-yield",
  "use-isnan",
];

export default defineConfig(
  { ignores: ["dist/", "coverage/", "data/", "models/", "test/fixtures/"] },
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      ...Object.fromEntries(mistakes.map((rule) => [rule, "error"])),
      // `== null` is allowed: it matches null and undefined.
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
  {
    files: ["**/*.{ts,tsx}", "scripts/*.mjs"],
    extends: [tseslint.configs.recommendedTypeChecked],
    // Two programs for all of it: test/tsconfig.json includes src and scripts; the console is for browsers.
    languageOptions: {
      parserOptions: {
        project: ["test/tsconfig.json", "src/console/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      // An async method without await still turns a throw into a rejection, which its interface promises.
      "@typescript-eslint/require-await": "off",
      "no-restricted-exports": [
        "error",
        {
          restrictDefaultExports: {
            direct: true,
            named: true,
            defaultFrom: true,
            namedFrom: true,
            namespaceFrom: true,
          },
        },
      ],
    },
  },
  // JavaScript has no casts that the rule accepts; tsc checks the types of the scripts.
  { files: ["scripts/*.mjs"], rules: { "@typescript-eslint/no-unsafe-assignment": "off" } },
  { files: ["*.config.ts"], rules: { "no-restricted-exports": "off" } },
  {
    files: ["src/**/*.{ts,tsx}"],
    rules: {
      "no-console": "error",
      "no-restricted-properties": ["error", ...time, ...environment],
      "no-restricted-syntax": ["error", newDate],
    },
  },
  { files: environmentFiles, rules: { "no-restricted-properties": ["error", ...time] } },
  {
    files: clockFiles,
    rules: { "no-restricted-properties": ["error", ...environment], "no-restricted-syntax": "off" },
  },
  { files: ["**/*.cjs"], languageOptions: { sourceType: "commonjs" } },
);
