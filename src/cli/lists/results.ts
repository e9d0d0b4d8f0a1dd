// Results of changes, one per object, for bulk commands and for changes with an output format.
import { columnsOf } from './columns.ts';

export interface ItemResult {
  readonly item: string;
  readonly result: 'done' | 'unchanged' | 'failed' | 'not tried' | 'pending';
  readonly message?: string; // the change as a sentence
  readonly error?: string;
}

export const resultColumns = columnsOf<ItemResult>({
  item: ({ item }) => item,
  result: { value: ({ result }) => result, kind: 'state' },
  error: ({ error }) => error,
});
