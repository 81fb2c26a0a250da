/** The commands of a chat: lines that begin with `/`. */
import { listChatModels } from "../chat-client.js";
import type { ChatCommandIo } from "./command-io.js";
import { chatHelp, setHelp, shortcutsHelp, showHelp } from "./help.js";
import type { ChatSession } from "../session.js";
import { runSet } from "./set-command.js";
import { runShow } from "./show-command.js";

interface ChatCommand {
  /** @param rest the text behind the command @returns whether the person leaves */
  run(rest: string, session: ChatSession, io: ChatCommandIo): boolean | Promise<boolean>;
}

const commands: Readonly<Record<string, ChatCommand>> = {
  "/set": { run: stay(runSet) },
  "/show": { run: stay(runShow) },
  "/model": { run: stay(runModel) },
  "/load": { run: stay(runLoad) },
  "/clear": { run: stay(runClear) },
  "/bye": { run: () => true },
  "/exit": { run: () => true },
  "/?": { run: stay(runHelp) },
  "/help": { run: stay(runHelp) },
};

/** Returns whether a line begins with a command. */
export function isCommand(line: string): boolean {
  return Object.hasOwn(commands, firstWord(line));
}

/** Runs the command of a line. @returns whether the person leaves */
export async function runChatCommand(
  line: string,
  session: ChatSession,
  io: ChatCommandIo,
): Promise<boolean> {
  const name = firstWord(line);
  return (await commands[name]?.run(line.slice(name.length).trim(), session, io)) ?? false;
}

/** The error of a line that begins with `/` and with no command. Nothing of it is sent. */
export function unknownCommand(line: string): Error {
  return new Error(
    `there is no command '${firstWord(line)}', and nothing was sent. The commands are ${Object.keys(commands).join(", ")}; ` +
      'a message that begins with / goes between """.',
  );
}

function firstWord(line: string): string {
  return /^\S+/.exec(line)?.[0] ?? "";
}

type Action = (rest: string, session: ChatSession, io: ChatCommandIo) => void | Promise<void>;

function stay(action: Action): ChatCommand["run"] {
  return async (rest, session, io) => {
    await action(rest, session, io);
    return false;
  };
}

function runClear(_: string, session: ChatSession, { out }: ChatCommandIo): void {
  session.clear();
  out.write("A new conversation begins.\n");
}

function runHelp(rest: string, _: ChatSession, { out }: ChatCommandIo): void {
  const subjects: Readonly<Record<string, string>> = {
    "": chatHelp,
    set: setHelp,
    show: showHelp,
    shortcuts: shortcutsHelp,
  };
  const subject = rest.replace(/^\//, "");
  out.write(Object.hasOwn(subjects, subject) ? (subjects[subject] ?? chatHelp) : chatHelp);
}

/** Lists the models, or changes the model of the conversation. */
async function runModel(name: string, session: ChatSession, { out }: ChatCommandIo): Promise<void> {
  if (name === "") {
    const models = await listChatModels(session.server);
    for (const { id, aliases } of models) {
      const isOwn = id === session.model || aliases.includes(session.model);
      out.write(`${isOwn ? "*" : " "} ${[id, ...aliases].join(", ")}\n`);
    }
    return;
  }
  await session.use(name);
  out.write(`${name} answers from now on${session.isEmpty ? "" : "; the conversation goes on"}.\n`);
}

/** Begins a new conversation with a model. */
async function runLoad(name: string, session: ChatSession, { out }: ChatCommandIo): Promise<void> {
  if (name === "") throw new Error("/load needs the name of a model: /load NAME");
  await session.use(name);
  session.clear();
  out.write(`${name} answers a new conversation.\n`);
}
