import { ordered } from "./minimise.js";
import { type Automaton, freeze, noString } from "./shape.js";

/** A state of the tree of the texts, its last edge still open for more. */
interface Node {
  final: boolean;
  readonly labels: number[];
  readonly targets: number[];
}

/**
 * Exactly these texts: their tree with equal ends shared, made in one pass over the sorted list (Daciuk, Mihov, Watson and
 * Watson, 2000). A text with a lone surrogate is left out. No limit on states: the list is the limit.
 */
export function texts(list: readonly string[]): Automaton {
  const sorted = list.filter((text) => !/[\ud800-\udfff]/u.test(text)).sort();
  if (sorted.length === 0) return noString;
  const register: Register = { nodes: [], byKey: new Map() };
  const root: Node = { final: false, labels: [], targets: [] };
  const path = [root];
  let last: readonly number[] = [];
  for (const text of sorted) {
    const codePoints = codePointsOf(text);
    let shared = 0;
    while (shared < last.length && last[shared] === codePoints[shared]) shared++;
    close(path, shared, register);
    let node = path[shared] ?? root;
    for (let i = shared; i < codePoints.length; i++) {
      node.labels.push(codePoints[i] ?? 0);
      node = { final: false, labels: [], targets: [] };
      path.push(node);
    }
    node.final = true;
    last = codePoints;
  }
  close(path, 0, register);
  register.nodes.push(root);
  return frozen(register.nodes);
}

function codePointsOf(text: string): number[] {
  const codePoints: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const codePoint = text.codePointAt(i) ?? 0;
    if (codePoint > 0xffff) i++;
    codePoints.push(codePoint);
  }
  return codePoints;
}

/** The states that are done, none equal to another. */
interface Register {
  readonly nodes: Node[];
  readonly byKey: Map<string | number, number>;
}

/** Ends the open states below `depth`, each one merged with an equal one where there is one. */
function close(path: Node[], depth: number, { nodes, byKey }: Register): void {
  while (path.length > depth + 1) {
    const node = path.pop();
    if (node === undefined) return;
    const key = keyOf(node);
    let number = byKey.get(key);
    if (number === undefined) {
      number = nodes.push(node) - 1;
      byKey.set(key, number);
    }
    path.at(-1)?.targets.push(number);
  }
}

/** Most states have one edge, and then a number says it all. */
function keyOf({ final, labels, targets }: Node): string | number {
  const [label, second] = labels;
  if (label === undefined) return -1;
  if (second !== undefined) return `${final ? "+" : "-"}${labels.join()}>${targets.join()}`;
  return ((targets[0] ?? 0) * 0x110000 + label) * 2 + (final ? 1 : 0);
}

/** The root stands last; an automaton's start is state 0. */
function frozen(nodes: readonly Node[]): Automaton {
  const last = nodes.length - 1;
  const finals: boolean[] = [nodes[last]?.final ?? false];
  const edges: number[][] = [edgesOf(nodes[last])];
  for (const node of nodes.slice(0, last)) {
    finals.push(node.final);
    edges.push(edgesOf(node));
  }
  return freeze(ordered({ finals, edges }, [...finals.keys()]));
}

/** Sorted, for the order of texts is that of UTF-16, not of code points. */
function edgesOf(node: Node | undefined): number[] {
  const { labels = [], targets = [] } = node ?? {};
  const [label, second] = labels;
  if (label !== undefined && second === undefined) return [label, label, (targets[0] ?? 0) + 1];
  const order = labels.map((one, i) => [one, (targets[i] ?? 0) + 1] as const).sort((a, b) => a[0] - b[0]);
  return order.flatMap(([one, target]) => [one, one, target]);
}
