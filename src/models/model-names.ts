/**
 * The names by which requests find models. An id wins over an alias; an alias that the operator set over one that the files or the
 * folder suggest; a whole name over a pattern, and the pattern with the longest beginning over others.
 */
import type { Model } from "../core/model.js";
import { quoted } from "./gguf/refusal.js";

/** A model with the names that it may have besides its id. */
interface NamedModel {
  readonly model: Model;
  /** Set by the operator, patterns included. */
  readonly setAliases: readonly string[];
  /** From its manifest. */
  readonly ownAliases: readonly string[];
  /** From its folder; they are left out without a warning where another model has them. */
  readonly suggestedAliases: readonly string[];
}

export type ModelNames = ReturnType<typeof assignNames>;

interface Pattern {
  readonly beginning: string;
  readonly matches: (name: string) => boolean;
  readonly id: string;
}

/** Assigns the names. @param warnings receives a sentence for each alias that another model has already. */
export function assignNames(models: readonly NamedModel[], warnings: string[]) {
  const holders = new Map(models.map(({ model }) => [model.manifest.id, model.manifest.id]));
  const aliases = new Map<string, string[]>();
  const patterns: Pattern[] = [];
  const assign = (id: string, alias: string, onTaken: (holder: string) => void): void => {
    const holder = holders.get(alias);
    if (holder === id) return;
    if (holder !== undefined) return onTaken(holder);
    holders.set(alias, id);
    if (isAliasPattern(alias)) patterns.push(toPattern(alias, id));
    aliases.set(id, [...(aliases.get(id) ?? []), alias]);
  };
  const ranks = [
    { of: (each: NamedModel) => each.setAliases, isWarned: true },
    { of: (each: NamedModel) => each.ownAliases, isWarned: true },
    { of: (each: NamedModel) => each.suggestedAliases, isWarned: false },
  ];
  for (const { of, isWarned } of ranks)
    for (const each of models)
      for (const alias of of(each))
        assign(each.model.manifest.id, alias, (holder) => {
          if (isWarned) warnings.push(taken(alias, each.model.manifest.id, holder));
        });
  patterns.sort((a, b) => b.beginning.length - a.beginning.length);
  return {
    /** The id that a name leads to; null when there is none. */
    find: (name: string): string | null =>
      holders.get(name) ?? patterns.find(({ matches }) => matches(name))?.id ?? null,
    /** All aliases of a model, the operator's first. */
    aliasesOf: (id: string): readonly string[] => aliases.get(id) ?? [],
  };
}

function taken(alias: string, id: string, holder: string): string {
  return `The alias ${quoted(alias)} of ${quoted(id)} belongs to ${quoted(holder)} already.`;
}

/** A pattern matches a name that has its texts in their order, the first at the beginning and the last at the end. */
function toPattern(alias: string, id: string): Pattern {
  const [beginning = "", ...others] = alias.split(/\*+/);
  const end = others.pop() ?? "";
  const matches = (name: string): boolean => {
    if (!name.startsWith(beginning) || name.length < beginning.length + end.length) return false;
    let at = beginning.length;
    for (const text of others) {
      const found = name.indexOf(text, at);
      if (found < 0) return false;
      at = found + text.length;
    }
    return name.endsWith(end) && name.length - end.length >= at;
  };
  return { beginning, matches, id };
}

/** Whether an alias stands for several names. */
function isAliasPattern(alias: string): boolean {
  return alias.includes("*");
}
