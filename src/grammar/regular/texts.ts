import { spend } from "../work.js";
import { ordered } from "./minimise.js";
import { type Automaton, freeze, noString } from "./shape.js";

/** A state of the trie of texts. Its last edge can still receive more texts. */
interface Node {
  final: boolean;
  readonly labels: number[];
  readonly targets: number[];
}

/**
 * Returns the minimal automaton of exactly these texts, built in one pass over the sorted list (Daciuk,
 * Mihov, Watson and Watson, 2000). Texts with lone surrogates are omitted. There is no limit of states; the
 * list bounds them.
 */
export function automatonOfTexts(list: readonly string[]): Automaton {
  const sorted = list.filter((text) => !/[\ud800-\udfff]/u.test(text)).sort();
  if (sorted.length === 0) return noString;
  const register: Register = { nodes: [], byKey: new Map() };
  const root: Node = { final: false, labels: [], targets: [] };
  const path = [root];
  let last: readonly number[] = [];
  for (const text of sorted) {
    const codePoints = toCodePoints(text);
    spend(1 + 2 * codePoints.length);
    let shared = 0;
    while (shared < last.length && last[shared] === codePoints[shared]) shared++;
    mergeOpenStates(path, shared, register);
    let node = path[shared] ?? root;
    for (let i = shared; i < codePoints.length; i++) {
      node.labels.push(codePoints[i] ?? 0);
      node = { final: false, labels: [], targets: [] };
      path.push(node);
    }
    node.final = true;
    last = codePoints;
  }
  mergeOpenStates(path, 0, register);
  register.nodes.push(root);
  return automatonOfTree(register.nodes);
}

function toCodePoints(text: string): number[] {
  const codePoints: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const codePoint = text.codePointAt(i) ?? 0;
    if (codePoint > 0xffff) i++;
    codePoints.push(codePoint);
  }
  return codePoints;
}

/** The finished states; no two are equivalent. */
interface Register {
  readonly nodes: Node[];
  readonly byKey: Map<string | number, number>;
}

/** Finishes the open states below `depth` and merges each with an equivalent one if there is one. */
function mergeOpenStates(path: Node[], depth: number, { nodes, byKey }: Register): void {
  while (path.length > depth + 1) {
    const node = path.pop();
    if (node === undefined) return;
    const key = toKey(node);
    let number = byKey.get(key);
    if (number === undefined) {
      number = nodes.push(node) - 1;
      byKey.set(key, number);
    }
    path.at(-1)?.targets.push(number);
  }
}

/**
 * Returns a key that equivalent states share: a number for the usual state with one edge, otherwise a text.
 */
function toKey({ final, labels, targets }: Node): string | number {
  const [label, second] = labels;
  if (label === undefined) return -1;
  if (second !== undefined) return `${final ? "+" : "-"}${labels.join()}>${targets.join()}`;
  return ((targets[0] ?? 0) * 0x110000 + label) * 2 + (final ? 1 : 0);
}

/** Returns the automaton of a finished trie. The root is the last node but must become state 0. */
function automatonOfTree(nodes: readonly Node[]): Automaton {
  const last = nodes.length - 1;
  const finals: boolean[] = [nodes[last]?.final ?? false];
  const edges: number[][] = [listEdges(nodes[last])];
  for (const node of nodes.slice(0, last)) {
    finals.push(node.final);
    edges.push(listEdges(node));
  }
  return freeze(ordered({ finals, edges }, [...finals.keys()]));
}

/** Returns the edges sorted by code point; the texts are sorted by UTF-16 unit. */
function listEdges(node: Node | undefined): number[] {
  const { labels = [], targets = [] } = node ?? {};
  const [label, second] = labels;
  if (label !== undefined && second === undefined) return [label, label, (targets[0] ?? 0) + 1];
  const order = labels.map((one, i) => [one, (targets[i] ?? 0) + 1] as const).sort((a, b) => a[0] - b[0]);
  return order.flatMap(([one, target]) => [one, one, target]);
}

/** Returns the texts of an automaton in the order of their code points, or null if there are more than `max`. */
export function listTexts(automaton: Automaton, max: number): readonly string[] | null {
  const texts: string[] = [];
  const pending: { readonly state: number; readonly text: string }[] = [{ state: 0, text: "" }];
  // Every state reaches an accepting state, so that the texts that are begun are at most those to come.
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { state, text } = next;
    if (automaton.finals[state] === 1) texts.push(text);
    const longer = textsAfter(automaton, state, text, max + 1);
    if (longer === null || texts.length + pending.length + longer.length > max) return null;
    pending.push(...longer.toReversed());
  }
  return texts;
}

/** Returns each text with one more character and its state, or null if there are more than `max`. */
function textsAfter(
  automaton: Automaton,
  state: number,
  text: string,
  max: number,
): { readonly state: number; readonly text: string }[] | null {
  const longer: { readonly state: number; readonly text: string }[] = [];
  for (let i = automaton.offsets[state] ?? 0; i < (automaton.offsets[state + 1] ?? 0); i++) {
    const low = automaton.lows[i] ?? 0;
    const high = automaton.highs[i] ?? 0;
    if (longer.length + high - low >= max) return null;
    for (let code = low; code <= high; code++)
      longer.push({ state: automaton.targets[i] ?? 0, text: text + String.fromCodePoint(code) });
  }
  return longer;
}
