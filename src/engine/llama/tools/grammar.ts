/**
 * From the description of a family's calls to the grammar of them: the same description that the parser reads by. The rules
 * of the arguments come from the schemas and are others' work.
 */
import type { Tool } from "../../../core/generation.js";
import { literal, type RuleBook } from "../../../grammar/gbnf.js";
import { createTaggedRules } from "./tagged-grammar.js";
import { itemLead, leadOf, nameText, written, type CallSyntax } from "./syntax.js";

/** What is asked of the model. */
export interface Asked {
  readonly tools: readonly Tool[];
  /** The rule of each tool's arguments object, by its name in the rule book. */
  readonly argumentRules: readonly string[];
  /** 1 or more. */
  readonly callsMin: number;
  readonly callsMax: number;
}

/** @returns the right side of a rule: so many calls as the whole answer */
export function callGrammar(syntax: CallSyntax, asked: Asked, rules: RuleBook): string {
  const preface = syntax.preface === undefined ? "" : `${literal(syntax.preface)}?`;
  return joined(preface, literalOf(leadOf(syntax)), calls(syntax, asked, null, rules));
}

/**
 * The grammar of what follows, where the beginning of a call is there already.
 * @param begun the answer from the call's first character on
 * @returns null when the model writes something else than it would be held to
 */
export function callContinuation(
  syntax: CallSyntax,
  begun: string,
  asked: Asked,
  rules: RuleBook,
): string | null {
  const left = remainder(leadOf(syntax), begun);
  if (left === null) return null;
  const first = left.over === "" ? null : callRule(syntax, asked, left.over, rules);
  if (first === "") return null;
  const space = left.over === "" && /^(?:\s|$)/.test(left.lead) ? "[ \\n]?" : "";
  return joined(space, literalOf(left.lead.trimStart()), calls(syntax, asked, first, rules));
}

/**
 * What is left of `lead` after `begun`, white space aside, and what `begun` holds beyond it, exactly; null when `begun` is not
 * how it begins.
 */
function remainder(lead: string, begun: string): { readonly lead: string; readonly over: string } | null {
  const end = lead.trimEnd().length;
  let at = 0;
  for (let index = 0; index < begun.length; index++) {
    const character = begun.charAt(index);
    if (/\s/.test(character)) continue;
    while (at < end && /\s/.test(lead.charAt(at))) at += 1;
    if (at >= end) return { lead: "", over: begun.slice(index) };
    if (lead.charAt(at) !== character) return null;
    at += 1;
  }
  return { lead: lead.slice(at), over: "" };
}

/** All that follows the first lead: the first call, which is any when null, the others, the end of the section. */
function calls(syntax: CallSyntax, asked: Asked, begun: string | null, rules: RuleBook): string {
  const close = literalOf(written(syntax.section?.close ?? []));
  const most = syntax.endsTurn === true ? 1 : asked.callsMax;
  if (begun !== null && most <= 1) return joined(begun, close);
  const any = callRule(syntax, asked, "", rules);
  if (most <= 1) return joined(any, close);
  const next = rules.add(joined(literal(written(syntax.between) + itemLead(syntax)), any));
  return joined(begun ?? any, `${next}{${Math.max(0, asked.callsMin - 1)},${most - 1}}`, close);
}

/** A rule of name, arguments and end of one call, of which `begun` is there already; "" when no tool's name begins so. */
function callRule(syntax: CallSyntax, asked: Asked, begun: string, rules: RuleBook): string {
  const { body } = syntax;
  if (asked.tools.length === 0) throw new RangeError("a call needs a tool");
  const tagged = body.type === "tagged" ? createTaggedRules(body, rules) : null;
  const choices = asked.tools.flatMap((tool, index) => {
    const [name, after] = nameText(body, tool.name);
    if (!name.startsWith(begun)) return [];
    const head = literalOf(name.slice(begun.length));
    const argumentRule = asked.argumentRules[index];
    if (argumentRule === undefined) throw new RangeError("every tool has a rule of its arguments");
    const given = tagged?.argumentsOf(tool) ?? argumentRule;
    const aside = body.type === "named" ? body.aside : undefined;
    const between = aside === undefined ? "" : `(${literal(aside.mark)} ${aside.characters}{1,64})?`;
    return [joined(head, between, literal(after), given)];
  });
  if (choices.length === 0) return "";
  const end = (body.type === "envelope" ? "}" : "") + (syntax.endsTurn === true ? "" : written(syntax.after));
  return rules.add(joined(rules.add(choices.join(" | ")), literalOf(end)));
}

function literalOf(text: string): string {
  return text === "" ? "" : literal(text);
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
