/** `/set`: changes what a chat asks for. */
import type { ChatCommandIo } from "./command-io.js";
import { setHelp } from "./help.js";
import type { ChatSession } from "../session.js";
import {
  thinkEfforts,
  parameterNames,
  parseStatedForm,
  withParameter,
  type ChatSettings,
  type StatedForm,
} from "../settings.js";

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

export function runSet(rest: string, { settings }: ChatSession, io: ChatCommandIo): void {
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
