/** Popularity as Zipf's law has it. Pure. */

/** Returns what draws a rank, from 0, out of a number from 0 to 1: rank n is drawn 1/(n + 1) as often as the first. */
export function chooseByRank(ranks: number): (uniform: number) => number {
  const below = new Float64Array(ranks);
  let sum = 0;
  for (let rank = 0; rank < ranks; rank += 1) {
    sum += 1 / (rank + 1);
    below[rank] = sum;
  }
  return (uniform) => {
    const wanted = uniform * sum;
    let [from, to] = [0, ranks - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((below[middle] ?? sum) > wanted) to = middle;
      else from = middle + 1;
    }
    return from;
  };
}

/** Returns the share that the group of the largest team has in all requests, when ranks are dealt to groups by their rank. */
export function busiestShare(ranks: number, groups: number): number {
  let [ofGroup, ofAll] = [0, 0];
  for (let rank = ranks - 1; rank >= 0; rank -= 1) {
    ofAll += 1 / (rank + 1);
    if (rank % groups === 0) ofGroup += 1 / (rank + 1);
  }
  return ofGroup / ofAll;
}
