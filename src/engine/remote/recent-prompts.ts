/**
 * Which servers of a pool have read the latest prompts, by digests of their beginnings: the next turn of a conversation begins with the
 * last one. A digest that two beginnings share costs a cached prefix, and nothing else.
 */
import { LRUCache } from "lru-cache";

const promptsMax = 20_000;
const blockTokens = 64;
/** Only this many blocks of a longer prompt are compared. */
const blocksMax = 1_024;
/** The end of a prompt, which begins the answer, may be written in another way in the next turn. */
const endTokens = 16;

export class RecentPrompts<Server extends object> {
  readonly #servers = new LRUCache<string, Server>({ max: promptsMax });

  /** Returns the server that has read the longest beginning of a prompt as a prompt of its own; null where none has. */
  find(teamId: string, prompt: Uint32Array): Server | null {
    const digests = createDigests(prompt);
    for (let at = digests.length - 1; at > 0; at -= 1) {
      const server = this.#servers.get(`${digests[at] ?? 0} ${teamId}`);
      if (server !== undefined) return server;
    }
    return null;
  }

  remember(teamId: string, prompt: Uint32Array, server: Server): void {
    const digests = createDigests(prompt.subarray(0, Math.max(0, prompt.length - endTokens)));
    // The first block is what conversations have in common.
    if (digests.length > 1) this.#servers.set(`${digests.at(-1) ?? 0} ${teamId}`, server);
  }
}

/** Returns 53 bits of two FNV-1a lanes for the beginnings of one block, of two blocks, and so on. */
function createDigests(tokens: Uint32Array): readonly number[] {
  const digests: number[] = [];
  const blocks = Math.min(blocksMax, Math.floor(tokens.length / blockTokens));
  let [a, b] = [0x811c9dc5, 0x1b873593];
  for (let block = 0; block < blocks; block += 1) {
    for (const token of tokens.subarray(block * blockTokens, (block + 1) * blockTokens)) {
      a = Math.imul(a ^ token, 0x01000193);
      b = Math.imul(b ^ token, 0x85ebca6b);
      b ^= b >>> 15;
    }
    digests.push((a >>> 0) * 2 ** 21 + (b >>> 11));
  }
  return digests;
}
