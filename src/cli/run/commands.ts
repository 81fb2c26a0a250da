/** The commands of a chat: lines that begin with `/`. */
import { z } from "zod";
import { listChatModels } from "./chat-client.js";
import { type ChatSession, needsOllamaApi } from "./session.js";
import { sectionsText } from "../models/sections.js";
import { askServer, ServerError } from "../server/client.js";
import {
  describeParameters,
  thinkEfforts,
  parameterNames,
  parseStatedForm,
  withParameter,
  type ChatSettings,
  type StatedForm,
} from "./settings.js";
import type { TextOut } from "../terminal.js";
import type { LineReader } from "./screen/line-reader.js";

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

/** What the commands of a chat write to, and change beside the chat. */
interface ChatCommandIo {
  readonly out: TextOut;
  readonly reader: LineReader;
}

const chatHelp = `Commands:
  /set            change what answers are like: /? set
  /show           show what is known of the model: /? show
  /model [NAME]   list the models, or go on with another one
  /load NAME      begin a new conversation with a model
  /clear          begin a new conversation
  /bye, /exit     leave
  /?, /help       this help
  /? shortcuts    keys

A message of several lines goes between """ and """.
The path of an image or a sound in a message sends the file.
`;

const setHelp = `/set commands:
  /set parameter NAME VALUE   ${parameterNames.slice(0, 5).join(", ")},
                              ${parameterNames.slice(5, 9).join(", ")},
                              ${parameterNames.slice(9).join(", ")}
  /set system TEXT            a system message; between """ with several lines
  /set think [EFFORT]         let a reasoning model reason: on, off, low,
                              medium or high
  /set nothink                let it not reason
  /set format json|SCHEMA     the form of answers; /set noformat
  /set verbose, quiet         print times and rates, or not
  /set wordwrap, nowordwrap   break lines between words, or not
  /set history, nohistory     keep what you type, or not
`;

const showHelp = `/show commands:
  /show info         the model
  /show parameters   parameters of this chat and of the model
  /show system       the system message
  /show template     the chat template
  /show license      the license
`;

const shortcutsHelp = `Keys:
  Ctrl-A, Ctrl-E   to the beginning or the end of the line
  Alt-B, Alt-F     one word back or forward
  Ctrl-U, Ctrl-K   delete to the beginning or the end of the line
  Ctrl-W           delete the word before the cursor
  Up, Down         earlier and later lines
  Ctrl-L           clear the screen
  Ctrl-C           stop the answer, or delete the line
  Ctrl-D           leave
`;

type Change = (rest: string, settings: ChatSettings, io: ChatCommandIo) => string;

/** Each returns what it says. */
const changes: Readonly<Record<string, Change>> = {
  parameter: setParameter,
  system: setSystem,
  think: setThink,
  nothink: (_, settings) => setThink("off", settings),
  format: (rest, settings) => {
    settings.format = parseForm(rest);
    return rest === "json" ? "Answers are JSON." : "Answers follow the schema.";
  },
  noformat: (_, settings) => {
    settings.format = null;
    return "Answers have any form.";
  },
  verbose: (_, settings) => {
    settings.isVerbose = true;
    return "Times and rates are printed.";
  },
  quiet: (_, settings) => {
    settings.isVerbose = false;
    return "No times and rates are printed.";
  },
  wordwrap: (_, settings) => {
    settings.wrapsWords = true;
    return "Lines break between words.";
  },
  nowordwrap: (_, settings) => {
    settings.wrapsWords = false;
    return "Long lines are left to the terminal.";
  },
  history: (_, __, { reader }) => {
    reader.keepsHistory = true;
    return "What you type is kept in the history.";
  },
  nohistory: (_, __, { reader }) => {
    reader.keepsHistory = false;
    return "What you type is not kept in the history.";
  },
};

function runSet(rest: string, { settings }: ChatSession, io: ChatCommandIo): void {
  const name = /^\S+/.exec(rest)?.[0] ?? "";
  const change = Object.hasOwn(changes, name) ? changes[name] : undefined;
  if (change === undefined && name !== "")
    throw new Error(`/set has no '${name}'; it has ${Object.keys(changes).join(", ")}`);
  io.out.write(change === undefined ? setHelp : `${change(rest.slice(name.length).trim(), settings, io)}\n`);
}

function setParameter(rest: string, settings: ChatSettings): string {
  const [name = "", ...values] = rest.split(/\s+/).filter((word) => word !== "");
  if (name === "" || values.length === 0)
    throw new Error(`/set parameter needs a name and a value; the names are ${parameterNames.join(", ")}`);
  const unquoted = values.map((value) => value.replace(/^(["'])(.*)\1$/, "$2"));
  settings.parameters = withParameter(settings.parameters, name, unquoted);
  return `${name} is ${unquoted.join(" ")}.`;
}

function setSystem(rest: string, settings: ChatSettings): string {
  const text = rest.replace(/^(["'])([^]*)\1$/, "$2");
  settings.system = text === "" ? null : text;
  return text === "" ? "The system message is the model's own." : "The system message is set.";
}

function setThink(rest: string, settings: ChatSettings): string {
  const effort = thinkEfforts.find((each) => each === (rest === "" ? "on" : rest));
  if (effort === undefined) throw new Error(`/set think must be on, off, low, medium or high, not '${rest}'`);
  settings.think = effort;
  if (effort === "off" || effort === "false") return "The model does not reason.";
  return effort === "on" || effort === "true" ? "The model reasons." : `The model reasons (${effort}).`;
}

function parseForm(rest: string): StatedForm {
  const form = parseStatedForm(rest);
  if (form === null) throw new Error("/set format must be json, or the JSON text of a schema");
  return form;
}

const shownModel = z.object({
  license: z.string(),
  parameters: z.string(),
  template: z.string(),
  system: z.string(),
  details: z.object({ family: z.string(), parameter_size: z.string(), quantization_level: z.string() }),
  model_info: z.record(z.string(), z.unknown()),
  capabilities: z.array(z.string()),
});
type ShownModel = z.infer<typeof shownModel>;

const subjects: Readonly<Record<string, (model: ShownModel, session: ChatSession) => string>> = {
  info: describeModel,
  parameters: describeOwnParameters,
  system: ({ system }, { settings }) => settings.system ?? (system || "No system message."),
  template: ({ template }) => template || "No chat template.",
  license: ({ license }) => license || "No license is known.",
};

async function runShow(rest: string, session: ChatSession, { out }: ChatCommandIo): Promise<void> {
  const name = rest === "" ? "info" : rest;
  const describe = Object.hasOwn(subjects, name) ? subjects[name] : undefined;
  if (describe === undefined)
    throw new Error(`/show has no '${rest}'; it has ${Object.keys(subjects).join(", ")}`);
  const body = { model: session.model };
  const answer = await askServer(session.server, "/api/show", { method: "POST", body }).catch(
    (thrown: unknown) => {
      const isAbsent = thrown instanceof ServerError && thrown.status === 404;
      throw isAbsent ? new Error(`/show ${needsOllamaApi}`, { cause: thrown }) : thrown;
    },
  );
  const model = shownModel.parse(answer);
  out.write(`${describe(model, session).trimEnd()}\n`);
}

function describeModel(model: ShownModel, session: ChatSession): string {
  const { details, model_info: info, capabilities, license } = model;
  const context = Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1];
  const rows: readonly (readonly [string, string])[] = [
    ["id", session.model],
    ["architecture", details.family],
    ["parameters", details.parameter_size],
    ["quantization", details.quantization_level],
    ["context", typeof context === "number" ? `${context} tokens` : ""],
    ["capabilities", capabilities.join(", ")],
    ["license", license],
  ];
  const system = session.settings.system ?? model.system;
  return sectionsText([
    ["Model", rows.filter(([, value]) => value !== "")],
    ["Parameters", listParameters(model, session)],
    ["System", system === "" ? [] : [["message", system.replaceAll("\n", " ")]]],
  ]);
}

function describeOwnParameters(model: ShownModel, session: ChatSession): string {
  const width = Math.max(0, ...listParameters(model, session).map(([name]) => name.length));
  return listParameters(model, session)
    .map(([name, value]) => `${name.padEnd(width)}   ${value}\n`)
    .join("");
}

/** Parameters of this chat, then the model's own. */
function listParameters(
  { parameters }: ShownModel,
  { settings }: ChatSession,
): readonly (readonly [string, string])[] {
  const stated = describeParameters(settings.parameters);
  const names = new Set(stated.map(([name]) => name));
  const own = parameters.split("\n").flatMap((line): readonly (readonly [string, string])[] => {
    const [name = "", ...value] = line.split(" ");
    return name === "" || name === "num_ctx" || names.has(name) ? [] : [[name, value.join(" ")]];
  });
  return [...stated.map(([name, value]) => [name, `${value}   (this chat)`] as const), ...own];
}
