/** Examples of every command: `--help` prints them, and a test runs each of them. */
import type { Command } from "commander";

/** Words after the command, by the words that name it. An empty text: the command alone. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  start: ["", "--port 8080"],
  run: ["", 'hearth-tiny-5m "What is 3 plus 4?"'],
  ps: [""],
  stop: ["", "--timeout 30"],
  logs: ["-n 50", "--path"],
  ls: ["", "--json"],
  show: ["hearth-tiny-5m"],
  rm: ["qwen3-4b-q4_k_m"],
  alias: ["", "gpt-4o-mini hearth-tiny-5m", "--rm gpt-4o-mini"],
  set: ["hearth-tiny-5m sampling.temperature=0.7", "hearth-tiny-5m sampling.temperature="],
  fit: ["hearth-tiny-5m", "hearth-tiny-5m --context 4096"],
  import: ["--from ollama --dry-run"],
  pull: ["qwen3:4b", "org/repo:Q4_K_M"],
  unload: ["hearth-tiny-5m"],
  "prices set": ["hearth-tiny-5m --prompt 0.15 --completion 0.60"],
  "prices ls": [""],
  "prices compare set": ["gpt-4o-mini --prompt 0.15 --completion 0.60"],
  "prices compare ls": [""],
  "prices compare rm": ["gpt-4o-mini"],
  "keys create": ["--name laptop --expires 90d", "--team research --acl api-key:endpoint:chat"],
  "keys ls": ["", "--team research"],
  "keys update": ["laptop --qpm 60"],
  "keys rotate": ["laptop --old-secret-expires 1h"],
  "keys disable": ["laptop"],
  "keys enable": ["laptop"],
  "keys block": ["laptop"],
  "keys unblock": ["laptop"],
  "keys rm": ["laptop"],
  "groups create": ["chats --acl api-key:endpoint:chat"],
  "groups ls": [""],
  "groups set": ["chats --acl api-key:endpoint:chat --acl api-key:model:hearth-tiny-5m"],
  "groups rm": ["chats"],
  "teams create": ["research", "lab --unmetered"],
  "teams ls": [""],
  "teams rename": ["lab workshop"],
  "teams block": ["research"],
  "teams unblock": ["research"],
  "teams keep-bodies": ["research"],
  "teams forget-bodies": ["research"],
  "teams allow": ["research --acl api-key:endpoint:chat", "research --all"],
  "teams limits": ["research", "research --qpm 600"],
  "members add": ["ada@example.com --role admin --team research"],
  "members ls": [""],
  "members update": ['ada@example.com --name "Ada Lovelace"'],
  "members sign-in-link": ["ada@example.com"],
  "members reset": ["ada@example.com"],
  "members rm": ["ada@example.com"],
  "management-keys create": ["--name backup --expires 30d"],
  "management-keys ls": [""],
  "management-keys rm": ["backup"],
  "credits add": ["research 12.50 --note invoice-8"],
  "credits refund": ["research 2.50"],
  "credits adjust": ["research -- -0.50"],
  "credits ls": ["", "research"],
  "credits limit": ["research --hard 100"],
  "budgets ls": [""],
  "budgets set": ["--team research --period month --hard-usd 20"],
  usage: ["", "--by model", "--by key --team research --csv"],
  "ledger verify": [""],
  audit: ["--limit 10"],
  export: ["usage", "audit --format jsonl --since 2026-11-01"],
  "requests ls": ["", "--status failed --since 2h"],
  "requests show": ["0193a7c2-5b1e"],
  "requests cancel": ["0193a7c2-5b1e"],
  "requests forget": ["0193a7c2-5b1e"],
  "alerts ls": [""],
  "alerts channels": [""],
  "alerts deliveries": [""],
  "alerts add": ["--email ada@example.com"],
  "alerts test": ["ada@example.com"],
  "alerts rm": ["ada@example.com"],
  "batches create": ["requests.jsonl"],
  "batches ls": [""],
  "batches show": ["batch_0f8a5e0c"],
  "batches cancel": ["batch_0f8a5e0c"],
  "batches results": ["batch_0f8a5e0c --out answers.jsonl"],
  "files ls": [""],
  "files upload": ["notes.pdf"],
  "files get": ["notes.pdf --out copy.pdf"],
  "files rm": ["notes.pdf"],
  backup: ["hearth-backup.tar.gz"],
  restore: ["hearth-backup.tar.gz"],
  migrate: ["--from sqlite --to postgres"],
  doctor: ["", "--all"],
  completion: ["bash"],
};

/** Adds its examples to the help of every command. Call it after all commands were added. */
export function addExamples(program: Command): void {
  for (const [path, command] of listCommands(program)) {
    const lines = (examples[path] ?? []).map((words) => `  $ ${`hearth ${path} ${words}`.trim()}\n`);
    if (lines.length > 0)
      command.addHelpText("after", `\nExample${lines.length === 1 ? "" : "s"}:\n${lines.join("").trimEnd()}`);
  }
}

/** Returns the commands that do something, which are those without commands below them, by the words that name them; hidden ones are left out. */
export function listCommands(
  parent: Command,
  path: readonly string[] = [],
): readonly (readonly [string, Command])[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== "help")
    .flatMap((command) => {
      const words = [...path, command.name()];
      return command.commands.length === 0
        ? [[words.join(" "), command] as const]
        : listCommands(command, words);
    });
}
