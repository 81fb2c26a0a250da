/**
 * Builds the grammar of a family's calls from the same description that the parser uses. The rules of the arguments are built elsewhere,
 * from their schemas.
 */
import type { Tool } from "../../../core/generation.js";
import { literal, type RuleSet } from "../../../grammar/gbnf.js";
import { createTaggedRules } from "./tagged-grammar.js";
import { textBeforeName, textBeforeFirstName, nameText, markText, type CallSyntax } from "./syntax.js";

/** The calls that are requested from the model. */
export interface RequestedCalls {
  readonly tools: readonly Tool[];
  /** The name of the rule for each tool's arguments object in the rule book. */
  readonly argumentRules: readonly string[];
  /** 1 or more. */
  readonly callsMin: number;
  readonly callsMax: number;
}

/** @returns the right side of a rule whose text is the whole answer: the requested number of calls */
export function callGrammar(syntax: CallSyntax, requested: RequestedCalls, rules: RuleSet): string {
  const preface = syntax.preface === undefined ? "" : `${literal(syntax.preface)}?`;
  return joinParts(
    preface,
    literalOrNothing(textBeforeFirstName(syntax)),
    calls(syntax, requested, null, rules),
  );
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
  const left = remainder(textBeforeFirstName(syntax), started);
  if (left === null) return null;
  const first = left.over === "" ? null : callRule(syntax, requested, left.over, rules);
  if (first === "") return null;
  const space = left.over === "" && /^(?:\s|$)/.test(left.lead) ? "[ \\n]?" : "";
  return joinParts(space, literalOrNothing(left.lead.trimStart()), calls(syntax, requested, first, rules));
}

/**
 * Returns the rest of `lead` after `started`, ignoring white space, and the text of `started` that follows `lead`; null when `started`
 * does not match the beginning of `lead`.
 */
function remainder(lead: string, started: string): { readonly lead: string; readonly over: string } | null {
  const end = lead.trimEnd().length;
  let at = 0;
  for (let index = 0; index < started.length; index++) {
    const character = started.charAt(index);
    if (/\s/.test(character)) continue;
    while (at < end && /\s/.test(lead.charAt(at))) at += 1;
    if (at >= end) return { lead: "", over: started.slice(index) };
    if (lead.charAt(at) !== character) return null;
    at += 1;
  }
  return { lead: lead.slice(at), over: "" };
}

/** Returns the rule after the first lead: the first call (any call when null), the others, and the end of the section. */
function calls(
  syntax: CallSyntax,
  requested: RequestedCalls,
  firstCall: string | null,
  rules: RuleSet,
): string {
  const close = literalOrNothing(markText(syntax.section?.close ?? []));
  const most = syntax.endsTurn === true ? 1 : requested.callsMax;
  if (firstCall !== null && most <= 1) return joinParts(firstCall, close);
  const any = callRule(syntax, requested, "", rules);
  if (most <= 1) return joinParts(any, close);
  const next = rules.add(joinParts(literal(markText(syntax.between) + textBeforeName(syntax)), any));
  return joinParts(firstCall ?? any, `${next}{${Math.max(0, requested.callsMin - 1)},${most - 1}}`, close);
}

/** Adds a rule for the rest of one call, of which `started` is already written; returns "" when no tool's name begins with `started`. */
function callRule(syntax: CallSyntax, requested: RequestedCalls, started: string, rules: RuleSet): string {
  const { body } = syntax;
  if (requested.tools.length === 0) throw new RangeError("a call needs a tool");
  const tagged = body.type === "tagged" ? createTaggedRules(body, rules) : null;
  const choices = requested.tools.flatMap((tool, index) => {
    const [name, after] = nameText(body, tool.name);
    if (!name.startsWith(started)) return [];
    const head = literalOrNothing(name.slice(started.length));
    const argumentRule = requested.argumentRules[index];
    if (argumentRule === undefined) throw new RangeError("every tool has a rule of its arguments");
    const given = tagged?.argumentsOf(tool) ?? argumentRule;
    const idAfterName = body.type === "bare-name" ? body.idAfterName : undefined;
    const between =
      idAfterName === undefined ? "" : `(${literal(idAfterName.mark)} ${idAfterName.characters}{1,64})?`;
    return [joinParts(head, between, literal(after), given)];
  });
  if (choices.length === 0) return "";
  const end =
    (body.type === "envelope" ? "}" : "") + (syntax.endsTurn === true ? "" : markText(syntax.after));
  return rules.add(joinParts(rules.add(choices.join(" | ")), literalOrNothing(end)));
}

function literalOrNothing(text: string): string {
  return text === "" ? "" : literal(text);
}

function joinParts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
