/** Which team asks: popularity as Zipf's law has it, where the team of rank n asks 1/n as often as the first. Pure. */

/** Returns the share that the group of the largest team has in all requests, when teams are dealt to groups by their rank. */
export function busiestShare(teams: number, groups: number): number {
  let [ofGroup, ofAll] = [0, 0];
  for (let rank = teams - 1; rank >= 0; rank -= 1) {
    ofAll += 1 / (rank + 1);
    if (rank % groups === 0) ofGroup += 1 / (rank + 1);
  }
  return ofGroup / ofAll;
}

/** Returns what draws the rank of a team, from 0, out of a number from 0 to 1. */
export function teamChooser(teams: number): (uniform: number) => number {
  const below = new Float64Array(teams);
  let sum = 0;
  for (let rank = 0; rank < teams; rank += 1) {
    sum += 1 / (rank + 1);
    below[rank] = sum;
  }
  return (uniform) => {
    const wanted = uniform * sum;
    let [from, to] = [0, teams - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((below[middle] ?? sum) > wanted) to = middle;
      else from = middle + 1;
    }
    return from;
  };
}
