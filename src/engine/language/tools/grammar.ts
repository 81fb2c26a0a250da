/**
 * Builds the grammar of a format's calls from the same description that the parser uses. The rules of the arguments are built elsewhere,
 * from their schemas. Layout and the members of an envelope besides name and arguments may be omitted.
 */
import type { Tool } from "../../../core/generation.js";
import { type RuleSet, literal } from "../../../grammar/gbnf.js";
import {
  after,
  choice,
  layout,
  markNode,
  nothing,
  optional,
  rightSide,
  sequence,
  text,
  type GrammarNode,
} from "./grammar-node.js";
import { listProperties, listRequired } from "./parameters.js";
import {
  splitPieces,
  type CallMark,
  type CallSyntax,
  type EnvelopeBody,
  type EnvelopeMember,
  type NotationBody,
} from "./syntax.js";
import { fence, fenceWords } from "./unmarked.js";
import { createTaggedRules, type ArgumentsRules } from "./tagged-grammar.js";
import {
  addJsonText,
  createValueRules,
  pythonString,
  spacedSign,
  verbatimString,
  writePythonString,
} from "./value-grammar.js";

/** The calls that are requested from the model. */
export interface RequestedCalls {
  readonly tools: readonly Tool[];
  /** The name of the rule for each tool's arguments object in the rule book. */
  readonly argumentRules: readonly string[];
  /** 1 or more. */
  readonly callsMin: number;
  readonly callsMax: number;
}

/** White space that models write before, between and after calls besides their layout. */
const spaceAround: GrammarNode = { type: "characters", set: " \\t\\r\\n", min: 0, max: 8 };

/**
 * Returns the right side of a rule whose text is the whole answer: the requested number of calls, in one of these syntaxes.
 * @param unmarked syntaxes without marks, which may have a fence around them
 */
export function callGrammar(
  syntaxes: readonly CallSyntax[],
  unmarked: readonly CallSyntax[],
  requested: RequestedCalls,
  rules: RuleSet,
): string {
  const marked = syntaxes.map((syntax) => {
    const preface = syntax.preface === undefined ? nothing : optional(text(syntax.preface));
    return sequence(preface, answerNode(syntax, requested, rules));
  });
  const plain = unmarked.map((syntax) => answerNode(syntax, requested, rules));
  const fenced =
    plain.length === 0
      ? []
      : [sequence(text(fence), choice(fenceWords.map(text)), choice(plain), optional(text(fence)))];
  return rightSide(sequence(spaceAround, choice([...marked, ...plain, ...fenced]), spaceAround), rules);
}

/**
 * Builds the grammar of the rest of a call that the model has started.
 * @param started the answer from the call's first character
 * @returns null when the text does not match this syntax
 */
export function callContinuation(
  syntax: CallSyntax,
  started: string,
  requested: RequestedCalls,
  rules: RuleSet,
): string | null {
  const rest = after(answerNode(syntax, requested, rules), started);
  return rest === null ? null : rightSide(rest, rules);
}

/** Returns all calls: the section's opening, the first call, the others, and the end of the section. */
function answerNode(syntax: CallSyntax, requested: RequestedCalls, rules: RuleSet): GrammarNode {
  const { section, between, turnEnd } = syntax;
  const call = callNode(syntax, requested, rules);
  const callsMax = syntax.endsTurn === true ? 1 : requested.callsMax;
  const others =
    callsMax <= 1 ? nothing : nextCalls(sequence(markNode(between), call), requested, callsMax, rules);
  return sequence(
    markNode(section?.open ?? []),
    // A model that has begun a section, or a call, may put white space in front of what follows.
    layout(""),
    call,
    others,
    sectionEnd(section?.close ?? []),
    turnEnd === undefined ? nothing : optional(markNode(turnEnd)),
    spaceAround,
  );
}

/** Returns the end of a section, which models omit where it is a mark, and nothing that JSON needs. */
function sectionEnd(close: CallMark): GrammarNode {
  const isOfMarks = splitPieces(close).every((piece) => piece.length > 2);
  return isOfMarks ? optional(markNode(close)) : markNode(close);
}

function nextCalls(
  next: GrammarNode,
  { callsMin }: RequestedCalls,
  callsMax: number,
  rules: RuleSet,
): GrammarNode {
  const rule = rules.add(rightSide(next, rules));
  return { type: "rule", text: `${rule}{${Math.max(0, callsMin - 1)},${callsMax - 1}}` };
}

function callNode(syntax: CallSyntax, requested: RequestedCalls, rules: RuleSet): GrammarNode {
  const { before, afterId, body, endsTurn } = syntax;
  const { tools, argumentRules } = requested;
  if (tools.length === 0) throw new RangeError("a call needs a tool");
  const writeArguments = argumentsRules(syntax, rules);
  const pairs = tools.map((tool, index) => {
    const given = argumentRules[index];
    if (given === undefined) throw new RangeError("every tool has a rule of its arguments");
    const rule: GrammarNode = { type: "rule", text: writeArguments(tool) ?? given };
    const asText = body.type === "envelope" && body.argumentsMayBeText === true;
    return {
      name: tool.name,
      rule: asText ? choice([rule, { type: "rule", text: addJsonText(rules) }]) : rule,
    };
  });
  const end = endsTurn === true ? nothing : markNode(syntax.after);
  const id =
    afterId === undefined
      ? nothing
      : sequence({ type: "characters", set: "a-zA-Z0-9_.:-", min: 1, max: 64 }, markNode(afterId));
  const lead = sequence(markNode(before), layout(""), id);
  if (body.type === "envelope") return sequence(lead, envelopeNode(body, pairs), end);
  return sequence(
    lead,
    choice(pairs.map(({ name, rule }) => sequence(text(name), afterNameNode(body), rule))),
    body.type === "notation" ? text(body.close) : nothing,
    end,
  );
}

/** Returns the rule of a tool's arguments, where they are not one JSON object. */
function argumentsRules({ body }: CallSyntax, rules: RuleSet): (tool: Tool) => string | null {
  if (body.type === "tagged") {
    const tagged = createTaggedRules(body, rules);
    return (tool) => tagged.writeArguments(tool);
  }
  if (body.type !== "notation") return () => null;
  const notation = createNotationRules(body, rules);
  return (tool) => notation.writeArguments(tool);
}

function afterNameNode(body: Exclude<CallSyntax["body"], EnvelopeBody>): GrammarNode {
  if (body.type === "notation") return text(body.open);
  const { idAfterName, afterName } = body;
  const alsoAfterName = body.type === "bare-name" ? (body.alsoAfterName ?? []) : [];
  const id =
    idAfterName === undefined
      ? nothing
      : optional(
          sequence(text(idAfterName.mark), {
            type: "characters",
            set: idAfterName.characters,
            min: 1,
            max: 64,
          }),
        );
  return sequence(id, choice([afterName, ...alsoAfterName].map(markNode)));
}

interface NamedRule {
  readonly name: string;
  readonly rule: GrammarNode;
}

/** Space after a colon or a comma of JSON. */
const space = layout(" ");

function envelopeNode(body: EnvelopeBody, pairs: readonly NamedRule[]): GrammarNode {
  const { members = [], wrapper, before, argumentsFirst } = body;
  const at = (place: EnvelopeMember["place"], outer: boolean): readonly EnvelopeMember[] =>
    members.filter((each) => each.place === place && (each.outer ?? false) === outer);
  const leading = (list: readonly EnvelopeMember[]): GrammarNode[] =>
    list.map((member) => optional(sequence(memberNode(member), text(","), space)));
  const trailing = (list: readonly EnvelopeMember[]): GrammarNode[] =>
    list.map((member) => optional(sequence(text(","), space, memberNode(member))));
  const between = sequence(text(","), space, ...leading(at("between", false)));
  const key = (name: string): GrammarNode => sequence(text(`${JSON.stringify(name)}:`), space);
  const both = ({ name, rule }: NamedRule): GrammarNode => {
    const quoted = JSON.stringify(name);
    if (argumentsFirst === true) return sequence(rule, between, key(body.nameKey), text(quoted));
    return sequence(text(quoted.slice(1)), between, key(body.argumentsKey), rule);
  };
  const inner = sequence(
    text("{"),
    layout(""),
    ...leading(at("first", false)),
    jsonStart(before ?? ""),
    argumentsFirst === true ? key(body.argumentsKey) : sequence(key(body.nameKey), text('"')),
    choice(pairs.map(both)),
    ...trailing(at("last", false)),
    text("}"),
  );
  if (wrapper === undefined) return inner;
  return sequence(
    text("{"),
    layout(""),
    ...leading(at("first", true)),
    key(wrapper),
    inner,
    ...trailing(at("last", true)),
    text("}"),
  );
}

/** Returns the text of JSON members with spaces that may be omitted. */
function jsonStart(members: string): GrammarNode {
  return sequence(
    ...members.split(/(?<=[:,]) /).flatMap((part, at) => (at === 0 ? [text(part)] : [space, text(part)])),
  );
}

function memberNode({ key, value }: EnvelopeMember): GrammarNode {
  const start = sequence(text(`${JSON.stringify(key)}:`), space);
  if (value !== undefined) return sequence(start, text(value));
  const id = sequence(text('"'), { type: "characters", set: "a-zA-Z0-9_.:-", min: 0, max: 64 }, text('"'));
  return sequence(start, choice([id, { type: "characters", set: "0-9", min: 1, max: 18 }]));
}

/**
 * Builds the grammar of arguments in brackets: the declared properties in order, required ones always, with separators between
 * those that are written. Other constraints of the schema than types and `enum` are validated after the call is complete.
 */
function createNotationRules(body: NotationBody, rules: RuleSet): ArgumentsRules {
  const { quote, assign, separator, escapes, nested, pythonWords } = body;
  const string = escapes ? pythonString(rules) : verbatimString(quote, rules);
  const assigns = rules.add(spacedSign(assign));
  const separates = rules.add(spacedSign(separator));
  const writeValue = createValueRules(
    {
      string: () => string,
      writeString: (value) => (escapes ? writePythonString(value) : [`${quote}${value}${quote}`]),
      nested: nested === "same" ? { assign, separator } : nested,
      pythonWords,
    },
    rules,
  );
  return {
    writeArguments(tool) {
      const required = listRequired(tool);
      // Rules of the properties from one on: before any is written, and after one is.
      let atStart = '""';
      let later = '""';
      for (const [key, schema] of [...listProperties(tool)].reverse()) {
        const member = rules.add(`${literal(key)} ${assigns} ${writeValue(schema)}`);
        const first = `${member} ${later}`;
        const next = `${separates} ${member} ${later}`;
        const isRequired = required.has(key);
        atStart = rules.add(isRequired ? first : `${first} | ${atStart}`);
        later = rules.add(isRequired ? next : `${next} | ${later}`);
      }
      return atStart;
    },
  };
}
