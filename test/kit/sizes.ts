/**
 * The three sizes of the check. `npm test` runs the small one; `--all` runs what must hold before a change lands, `--nightly` everything.
 * A test file belongs to the small size unless it is listed here, with the reason. The guide to testing has the same lines in its table of
 * sizes.
 */
import { z } from "zod";

export const sizes = ["small", "all", "nightly"] as const;
export type Size = (typeof sizes)[number];

export interface LargerTests {
  /** The smallest size that runs these tests. */
  readonly size: Exclude<Size, "small">;
  /** What they show, in a few words. */
  readonly what: string;
  /** Why a smaller size does without them. */
  readonly why: string;
  /** Patterns of paths below `test/`. */
  readonly files: readonly string[];
}

export const largerTests: readonly LargerTests[] = [
  {
    size: "all",
    what: "the stores, limits and jobs over PostgreSQL, and several servers of one database",
    why: "a database server has to start; SQLite runs the same tests in every size",
    files: [
      "store/postgres/**",
      "accounts/limits/postgres/**",
      "store/postgres-available.test.ts",
      "nodes/**",
      "scheduler/several-servers.test.ts",
    ],
  },
  {
    size: "all",
    what: "an operator's first day in the console, in Chromium",
    why: "a browser takes seconds for a page; the small size opens the pages of the reference",
    files: ["browser/console/first-day.test.ts"],
  },
  {
    size: "all",
    what: "processes: what is left after kill -9 of jobs, batches, ledgers, pulls and pictures; supervision, package, log",
    why: "each starts several processes; the small size starts, stops and kills one server",
    files: [
      "end-to-end/process/{alert-kill,batch-kill,deferred-kill,first-day,ledger-kill,log,package,process,pull}.test.ts",
      "end-to-end/captions/process.test.ts",
      "end-to-end/images/{kill,process}.test.ts",
      "cli/server/{start,stop,supervise}.test.ts",
      "jobs/deadly-job.test.ts",
      "models/hub/breaks.test.ts",
    ],
  },
  {
    size: "all",
    what: "models that see and hear: three families of images, sounds, every kind of bad input",
    why: "each loads several models and tries their projectors; the small size has one image and one sound",
    files: ["end-to-end/media/{images,sounds}.test.ts"],
  },
  {
    size: "nightly",
    what: "the engine and remote engines beside a llama-server of the same build",
    why: "that program is built by hand, in ten minutes; the size all has remote engines as doubles, and both kinds of media",
    files: ["end-to-end/media/compared.test.ts", "end-to-end/remote/llama-server*.test.ts"],
  },
  {
    size: "nightly",
    what: "images of each client and list, and projectors that are pulled, imported and removed",
    why: "each starts servers and programs of its own, and the size all reads images by the same paths",
    files: ["end-to-end/media/{clients,lists}.test.ts", "cli/models/seeing.test.ts"],
  },
  {
    size: "nightly",
    what: "npm install --global: seconds and megabytes, and what is installed works",
    why: "SQLite is compiled, and 100 MB come from a registry; the size all looks at the package",
    files: ["packaging/install.test.ts"],
  },
  {
    size: "all",
    what: "backup, restore and unclean ends of a data folder",
    why: "each test copies whole data folders and starts servers on them",
    files: ["end-to-end/backup/**"],
  },
  {
    size: "all",
    what: "commands that start servers or shells of their own, and chats on a terminal",
    why: "each command is a process; the small size has their output and exit codes in the process of the test",
    files: [
      "cli/{batches,completion,doctor,gpu,imports,unload}.test.ts",
      "cli/run/**",
      "cli/models/{fit,pull}.test.ts",
      "cli/terminal/tables.test.ts",
      "docs/examples.test.ts",
    ],
  },
  {
    size: "all",
    what: "build, package and other scripts",
    why: "they copy or build the whole package",
    files: ["scripts/**", "packaging/**"],
  },
  {
    size: "nightly",
    what: "a release, and a slim installation",
    why: "each installs and builds a checkout of its own; the size all builds one and looks at the package",
    files: ["scripts/{release,slim}.test.ts"],
  },
  {
    size: "all",
    what: "downloads: every answer of a hub that is wrong, and pulls that the server runs",
    why: "each waits for its retries; the small size downloads a model whole",
    files: ["models/hub/refusals.test.ts", "http/management/pulls.test.ts"],
  },
  {
    size: "all",
    what: "our answers against the types of the installed packages of OpenAI, Anthropic and Ollama",
    why: "the TypeScript compiler reads three large packages; only an update of one changes them",
    files: ["http/answers/types.test.ts"],
  },
  {
    size: "all",
    what: "every refusal of an identity provider, and connections of SQLite that are left to the garbage collector",
    why: "each starts a provider or a process; the small size signs in through a provider",
    files: ["http/console/oidc/refusals.test.ts", "store/sqlite/connect.test.ts"],
  },
  {
    size: "nightly",
    what: "contexts of thousands of tokens with the built-in model",
    why: "each evaluates them on a CPU; the size all fills the contexts of small models",
    files: ["end-to-end/text/long-context.test.ts"],
  },
  {
    size: "all",
    what: "every kind of remote engine with every fault, and more client libraries",
    why: "the small size has one path of each: the OpenAI-compatible engine, and the clients of OpenAI, Anthropic and Ollama",
    files: [
      "end-to-end/remote/{doubles,embeddings,engine-texts,held,hostile-events,ignored-limit}.test.ts",
      "end-to-end/remote/{many-calls,silence,tokenizer}.test.ts",
      "end-to-end/clients/{ai-sdk,langchain,openai-responses}.test.ts",
      "end-to-end/embeddings/clients.test.ts",
      "models/remote/tokenizer.test.ts",
    ],
  },
  {
    size: "all",
    what: "more of text, schemas, tools, pictures and captions with the built-in models",
    why: "real weights take seconds; the small size has one whole path of each engine",
    files: [
      "end-to-end/text/{deferred,engine-settings,natural-calls,reasoning,responses,sampling,strict-templates}.test.ts",
      "end-to-end/structured/{every-schema,exploding,hostile-schemas,structured,tools}.test.ts",
      "end-to-end/captions/{loop,projector}.test.ts",
      "end-to-end/models/{adapters,load-settings,reload}.test.ts",
    ],
  },
  {
    size: "all",
    what: "the decode loop: drafts, prefixes, checkpoints, grammars that explode, trials of files",
    why: "each loads models with several settings",
    files: [
      "engine/llama/{batching,neighbours,prefix,smoke}.test.ts",
      "engine/llama/decode/{cache-key,checkpoints,drafts}.test.ts",
      "engine/llama/decode/grammar-bounds.test.ts",
      "engine/images/published-models.test.ts",
      "engine/vision/{families,greedy}.test.ts",
    ],
  },
  {
    size: "all",
    what: "attacks on connections, answers, files and databases",
    why: "each sends hundreds of requests, or much data",
    files: [
      "http/hostile-answers.test.ts",
      "http/server/tls.test.ts",
      "http/server/connections/**",
      "http/management/alerts/{errors,tenants}.test.ts",
      "http/threats/{database,erased,lost-database,secrets,templates,onnx-models}.test.ts",
      "http/inference/files/{pdf,prompts}.test.ts",
      "http/inference/chat/structured.test.ts",
      "models/folders/special-files.test.ts",
      "models/gguf-fuzz.test.ts",
    ],
  },
  {
    size: "all",
    what: "hours of the simulation",
    why: "they repeat whole days",
    files: ["simulation/**"],
  },
  {
    size: "nightly",
    what: "the fuzzer with its kept corpus",
    why: "thirty instrumented processes; what they have found has tests of its own",
    files: ["fuzz/**"],
  },
  {
    size: "nightly",
    what: "every example of every command on data folders that are empty, full and broken",
    why: "five hundred processes; the size all runs each command's tests, and an operator's first day",
    files: ["cli/every-command.test.ts"],
  },
  {
    size: "nightly",
    what: "every page of the console in Chromium",
    why: "three minutes; the first day in the console passes most of them",
    files: ["browser/console/**/!(first-day).test.ts", "browser/oidc.test.ts"],
  },
  {
    size: "nightly",
    what: "a short run of chaos",
    why: "seven processes and a database for half a minute; the size all kills servers of one database, and each kind of job",
    files: ["end-to-end/process/chaos.test.ts"],
  },
  {
    size: "nightly",
    what: "memory, load, threads, eviction, a faulty disk, an engine that stalls",
    why: "they measure their process, or wait for time limits of the operating system",
    files: [
      "end-to-end/process/{eviction,faulty-disk,load,memory,stalled-engine,threads}.test.ts",
      "engine/memory/model-fairness.test.ts",
      "engine/language/tools/linear.test.ts",
    ],
  },
  {
    size: "nightly",
    what: "every route with every attack",
    why: "thousands of requests; the small size tries each rule on every route once",
    files: ["http/threats/sql/every-attack.test.ts"],
  },
  {
    size: "nightly",
    what: "every architecture and family with every kind of schema",
    why: "a product of three lists; `--all` has each element once",
    files: ["end-to-end/text/architectures.test.ts", "end-to-end/structured/tool-families.test.ts"],
  },
];

/**
 * Returns the size that a run of tests has: the one in TEST_SIZE; without it everything, so that a file named on the command line is
 * found.
 */
export function readSize(environment: NodeJS.ProcessEnv): Size {
  return z.enum(sizes).default("nightly").parse(environment["TEST_SIZE"]);
}

/** Returns whether TEST_SIZE asks for the nightly run, which tries all cases of a test instead of some. */
export function isNightly(environment: NodeJS.ProcessEnv): boolean {
  return environment["TEST_SIZE"] === "nightly";
}

/** Returns patterns of the files that a run of this size leaves out, from the root of the repository. */
export function filesBeyond(size: Size): readonly string[] {
  return largerTests
    .filter((tests) => sizes.indexOf(tests.size) > sizes.indexOf(size))
    .flatMap(({ files }) => files.map((file) => `test/${file}`));
}
