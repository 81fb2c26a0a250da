/**
 * Converts sound to another number of samples a second, piece by piece. A low-pass filter, the sinc function in a Kaiser window, is
 * evaluated at the time of each new sample, as in J. O. Smith, "Digital Audio Resampling"; new samples with the same distance to the old
 * ones have the same coefficients, which are computed once.
 */

/** Zero crossings of the sinc function on each side. */
const zeros = 24;
/** Entries of the table of the filter between two zero crossings. */
const entries = 512;
/** Shape of the window: what is above the cutoff is attenuated by about 90 dB. */
const beta = 9;
/** Ratio of the cutoff to the highest frequency that the slower of the two rates can have. */
const rolloff = 0.92;
/** Coefficients that are kept. Rates that have no common divisor have more. */
const coefficientsMax = 4_000_000;

const table = buildTable();

export class Resampler {
  /** The ratio of old samples to new ones, in lowest terms. */
  readonly #from: number;
  readonly #to: number;
  /** Zero crossings of the filter for each old sample. */
  readonly #scale: number;
  /** Old samples on each side that a new one is made of. */
  readonly #reach: number;
  /** Coefficients by the distance of a new sample from the old one before it. */
  readonly #filters = new Map<number, Float32Array>();
  /** Old samples from `#start` on, which further new ones are made of. */
  #kept: Float32Array;
  #start: number;
  #read = 0;
  #written = 0;

  constructor(from: number, to: number) {
    const divisor = findDivisor(from, to);
    this.#from = from / divisor;
    this.#to = to / divisor;
    this.#scale = rolloff * Math.min(1, to / from);
    this.#reach = Math.ceil(zeros / this.#scale);
    this.#kept = new Float32Array(this.#reach);
    this.#start = -this.#reach;
  }

  /** Takes the next old samples. @returns the new ones that can be made now */
  push(samples: Float32Array): Float32Array {
    this.#read += samples.length;
    if (this.#from === this.#to) return samples;
    this.#keep(samples);
    // Up to the last one whose filter has all of its old samples.
    return this.#write(Math.floor(((this.#read - 1 - this.#reach) * this.#to) / this.#from));
  }

  /** Returns the last new samples; silence follows the old ones. */
  end(): Float32Array {
    if (this.#from === this.#to) return new Float32Array(0);
    this.#keep(new Float32Array(this.#reach + 1));
    return this.#write(Math.max(1, Math.round((this.#read * this.#to) / this.#from)));
  }

  #keep(samples: Float32Array): void {
    const first = Math.floor((this.#written * this.#from) / this.#to) - this.#reach;
    const rest = this.#kept.subarray(first - this.#start);
    const kept = new Float32Array(rest.length + samples.length);
    kept.set(rest);
    kept.set(samples, rest.length);
    this.#kept = kept;
    this.#start = first;
  }

  /** @param end the number of new samples that there are then */
  #write(end: number): Float32Array {
    const made = new Float32Array(Math.max(0, end - this.#written));
    for (let index = 0; index < made.length; index += 1) made[index] = this.#at(this.#written + index);
    this.#written += made.length;
    return made;
  }

  #at(index: number): number {
    const phase = (index * this.#from) % this.#to;
    const filter = this.#filters.get(phase) ?? this.#makeFilter(phase);
    const first = (index * this.#from - phase) / this.#to - this.#reach - this.#start;
    const kept = this.#kept;
    let sum = 0;
    for (let tap = 0; tap < filter.length; tap += 1) sum += (filter[tap] ?? 0) * (kept[first + tap] ?? 0);
    return sum;
  }

  #makeFilter(phase: number): Float32Array {
    const scale = this.#scale;
    const filter = Float32Array.from({ length: 2 * this.#reach + 1 }, (_, tap) => {
      const entry = Math.abs(tap - this.#reach - phase / this.#to) * scale * entries;
      const whole = Math.floor(entry);
      const low = table[whole] ?? 0;
      return scale * (low + ((table[whole + 1] ?? 0) - low) * (entry - whole));
    });
    if ((this.#filters.size + 1) * filter.length <= coefficientsMax) this.#filters.set(phase, filter);
    return filter;
  }
}

function findDivisor(one: number, other: number): number {
  return other === 0 ? one : findDivisor(other, one % other);
}

/** Half of the filter, which is symmetric. */
function buildTable(): Float64Array {
  const size = zeros * entries;
  return Float64Array.from({ length: size + 1 }, (_, index) => {
    const x = (Math.PI * index) / entries;
    const sinc = index === 0 ? 1 : Math.sin(x) / x;
    return (sinc * bessel(beta * Math.sqrt(1 - (index / size) ** 2))) / bessel(beta);
  });
}

/** The modified Bessel function of the first kind and order 0, by its power series. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-12; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
