/**
 * Gaussian noise from a seed, with the same numbers on every machine: xoshiro128** (Blackman and Vigna, 2018) seeded by splitmix32, and
 * Box-Muller. V8 computes log, sin and cos with its own port of fdlibm, not with the machine's library.
 */
export class Noise {
  #state: [number, number, number, number];
  #spare: number | null = null;

  /** @param seed 32-bit unsigned, or a whole state. */
  constructor(seed: number | readonly [number, number, number, number]) {
    this.#state = typeof seed === "number" ? expandSeed(seed) : [...seed];
  }

  /** Returns the next 32 bits. */
  next(): number {
    const [a, b, c, d] = this.#state;
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const mixed = [a ^ d ^ b, b ^ c ^ a, c ^ a ^ (b << 9), rotate(d ^ b, 11)] as const;
    this.#state = [mixed[0], mixed[1], mixed[2], mixed[3]];
    return result;
  }

  /** Returns one number of the normal distribution with mean 0 and variance 1. */
  gaussian(): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    // Never 0, whose logarithm is infinite.
    const radius = Math.sqrt(-2 * Math.log((this.next() + 1) / 2 ** 32));
    const angle = (2 * Math.PI * this.next()) / 2 ** 32;
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  /** Returns `count` such numbers. */
  gaussians(count: number): Float32Array {
    return Float32Array.from({ length: count }, () => this.gaussian());
  }
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Expands a seed to a state by splitmix32, so that adjacent seeds give unrelated states. */
function expandSeed(seed: number): [number, number, number, number] {
  let at = seed | 0;
  const next = (): number => {
    at = (at + 0x9e3779b9) | 0;
    let mixed = Math.imul(at ^ (at >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return mixed ^ (mixed >>> 16);
  };
  return [next(), next(), next(), next()];
}
