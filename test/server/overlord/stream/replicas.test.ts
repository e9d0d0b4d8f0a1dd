// End offsets of sequences in replica tasks.
import { expect, test } from 'vitest';
import { type Replica, ReplicaSets } from '../../../../src/server/overlord/stream/replicas.ts';
import type { Offsets } from '../../../../src/server/overlord/stream/stream.ts';

const at = (...offsets: number[]): Offsets => new Map(offsets.entries());

class Reader implements Replica {
  interruptions = 0;
  position: Offsets;
  constructor(position: Offsets) {
    this.position = position;
  }
  offsets = () => this.position;
  interrupt = () => {
    this.interruptions++;
  };
}

test('a sequence ends where, in each partition, the replica is that has read most; the others are interrupted', () => {
  const sets = new ReplicaSets();
  const [a, b] = [new Reader(at(7, 2)), new Reader(at(5, 4))];
  const set = sets.join('edits', at(0, 0), a);
  expect(sets.join('edits', at(0, 0), b)).toBe(set);
  set.seal(a, false);
  expect(set.checkpoint(0)).toEqual({ end: at(7, 4), isLast: false, published: undefined });
  expect([a.interruptions, b.interruptions]).toEqual([0, 1]);
  a.position = at(9, 9);
  set.seal(b, true);
  set.seal(a, true); // there is one last checkpoint only
  expect([set.checkpoint(1), set.checkpoint(2)]).toEqual([
    { end: at(9, 9), isLast: true, published: undefined },
    undefined,
  ]);
});

test('a replica that comes later begins with the sequence whose start it has; one that fits nowhere is on its own', () => {
  const sets = new ReplicaSets();
  const a = new Reader(at(5));
  const set = sets.join('edits', at(0), a);
  set.seal(a, false);
  const [late, other] = [new Reader(at(5)), new Reader(at(3))];
  expect([
    sets.join('edits', at(5), late) === set,
    set.sequenceAt(at(5)),
    set.sequenceAt(at(0)),
  ]).toEqual([true, 1, 0]);
  expect(sets.join('edits', at(3), other)).not.toBe(set);
});

test('a group is forgotten with its last replica', () => {
  const sets = new ReplicaSets();
  const a = new Reader(at(5));
  const set = sets.join('edits', at(0), a);
  sets.leave('edits', set, a);
  expect(sets.join('edits', at(0), a)).not.toBe(set);
});
