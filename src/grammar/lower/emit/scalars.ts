import { AutomatonTooLarge } from "../../regular/automaton.js";
import { emitRaw, emitString } from "../../regular/emit.js";
import type { NumberShape, StringShape } from "../language.js";
import { checksOfNumber, numberTexts } from "../numbers.js";
import type { TermPlan } from "../plan/plan.js";
import type { EmitContext } from "./object.js";
import { emitValues } from "./values.js";

/** Returns the rules of the values that have no members, and of those that are listed. */
export function scalars(plan: TermPlan, context: EmitContext): string[] {
  const { rules } = context;
  const alternatives: string[] = [];
  if (plan.values.length > 0) alternatives.push(emitValues(plan.values, rules));
  for (const shape of plan.numbers) {
    const number = numberRule(shape, context);
    if (number !== null) alternatives.push(number);
  }
  for (const shape of plan.strings) alternatives.push(stringRule(shape, context));
  return [...new Set(alternatives)];
}

function numberRule(shape: NumberShape, context: EmitContext): string | null {
  const known = numberTexts(shape);
  if (known.automaton === null) return null;
  context.recordChecks(checksOfNumber(shape, context.pointer));
  return emitRaw(known.automaton, context.rules);
}

function stringRule(shape: StringShape, context: EmitContext): string {
  context.recordChecks(shape.checks);
  try {
    return emitString(shape, context.rules);
  } catch (thrown) {
    if (!(thrown instanceof AutomatonTooLarge)) throw thrown;
    context.recordChecks([
      { keyword: shape.maxLength === null ? "minLength" : "maxLength", pointer: context.pointer },
    ]);
    return emitString({ ...shape, minLength: 0, maxLength: null }, context.rules);
  }
}
