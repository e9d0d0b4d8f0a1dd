// What became of each thing that was to be changed: the answer of what is done to many, and of every change where a format is asked for.
import { columnsOf } from './columns.ts';

export interface Result {
  readonly item: string;
  readonly result: 'done' | 'unchanged' | 'failed' | 'not tried' | 'pending';
  readonly message?: string; // what was done, in a sentence
  readonly error?: string;
}

export const resultColumns = columnsOf<Result>({
  item: ({ item }) => item,
  result: { value: ({ result }) => result, kind: 'state' },
  error: ({ error }) => error,
});
