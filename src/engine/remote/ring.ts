/**
 * Chooses the server of a conversation among several of one model: consistent hashing with bounded load
 * (https://arxiv.org/abs/1608.01350). A conversation keeps its server, which has evaluated its beginning, unless that has more than
 * 1.25 times its share of the load.
 */
import { createHash } from "node:crypto";

const pointsPerServer = 64;
const loadBound = 1.25;

/** A server as it is chosen. */
interface Choosable {
  readonly url: string;
  /** Generations that it runs. */
  readonly load: number;
  /** Generations that it may run. */
  readonly capacity: number;
}

/**
 * Returns the servers that may take one more generation, the preferred one first.
 * @param known the server that has read the conversation so far; null: not known. Its load is bounded as the load of the others is
 */
export function inOrderOfChoice<S extends Choosable>(
  key: string,
  servers: readonly S[],
  known: S | null = null,
): readonly S[] {
  const open = servers.filter(({ load, capacity }) => load < capacity);
  const total = servers.reduce((sum, { load }) => sum + load, 1);
  const bound = Math.ceil((loadBound * total) / Math.max(1, servers.length));
  const start = hashPosition(key);
  const distance = (server: S): number =>
    server === known
      ? -1
      : Math.min(...listPoints(server.url).map((point) => (point - start + ringLength) % ringLength));
  const rated = open.map((server) => ({ server, isFull: server.load >= bound, distance: distance(server) }));
  rated.sort((a, b) => Number(a.isFull) - Number(b.isFull) || a.distance - b.distance);
  return rated.map(({ server }) => server);
}

const ringLength = 2 ** 32;
const known = new Map<string, readonly number[]>();

/** The settings name the servers, so that what is kept does not grow. */
function listPoints(url: string): readonly number[] {
  let points = known.get(url);
  if (points === undefined) {
    points = Array.from({ length: pointsPerServer }, (_, at) => hashPosition(`${url} ${at}`));
    known.set(url, points);
  }
  return points;
}

function hashPosition(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0);
}
