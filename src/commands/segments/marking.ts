// Using segments again, and taking them out of use: the same choices, by other endpoints.
import type { Context } from '../../cli/command.ts';
import { segments } from '../../contract/segments.ts';
import { changedIn, type Selection } from './segment-selection.ts';

const endpoints = {
  used: { one: segments.markUsed, some: segments.markSomeUsed, all: segments.markAllUsed },
  unused: { one: segments.markUnused, some: segments.markSomeUnused, all: segments.markAllUnused },
} as const;

/** What each of the two calls, for its declaration. */
export const endpointsOf = (state: keyof typeof endpoints) => Object.values(endpoints[state]);

/** Marks the chosen segments; returns how many were not so before. */
export async function mark({ call }: Context, state: keyof typeof endpoints, dataSource: string, selection: Selection): Promise<number> {
  const { one, some, all } = endpoints[state];
  if ('id' in selection) return changedIn(await call(one, { params: { dataSource, segmentId: selection.id } }));
  if ('all' in selection) return changedIn(await call(all, { params: { dataSource } }));
  return changedIn(await call(some, { params: { dataSource }, body: selection.filter }));
}
