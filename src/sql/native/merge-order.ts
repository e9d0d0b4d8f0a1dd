// Order in which the engine merges results of segments with the same time. It decides what an
// aggregator of any value takes.

/**
 * The rank of each segment, from the time of its only result. The results wait in a priority queue,
 * which keeps equal ones in no order of their own (Druid: MergeIterator; Java: PriorityQueue).
 */
export function mergeRanks(times: readonly number[], isDescending: boolean): readonly number[] {
  const isBefore = (one: number, other: number) => {
    const [a = 0, b = 0] = [times[one], times[other]];
    return isDescending ? a > b : a < b;
  };
  const queue: number[] = [];
  for (const segment of times.keys()) addTo(queue, segment, isBefore);
  const ranks = times.map(() => 0);
  for (let rank = 0; queue.length > 0; rank++) ranks[takeFrom(queue, isBefore)] = rank;
  return ranks;
}

type IsBefore = (one: number, other: number) => boolean;

function addTo(queue: number[], item: number, isBefore: IsBefore): void {
  let at = queue.length;
  while (at > 0) {
    const parent = (at - 1) >>> 1;
    const above = queue[parent] ?? 0;
    if (!isBefore(item, above)) break;
    queue[at] = above;
    at = parent;
  }
  queue[at] = item;
}

function takeFrom(queue: number[], isBefore: IsBefore): number {
  const [first = 0] = queue;
  const last = queue.pop() ?? 0;
  if (queue.length === 0) return first;
  let at = 0;
  while (2 * at + 1 < queue.length) {
    let child = 2 * at + 1;
    const right = queue[child + 1];
    if (right !== undefined && isBefore(right, queue[child] ?? 0)) child++;
    const below = queue[child] ?? 0;
    if (!isBefore(below, last)) break;
    queue[at] = below;
    at = child;
  }
  queue[at] = last;
  return first;
}
