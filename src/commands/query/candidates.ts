import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { type LocatedSegment, native } from '../../contract/native.ts';
import { formatIntervalCell } from '../shared/datasources/shown-times.ts';
import { fileOption, queryArgument, queryOf } from './query-input.ts';

const columns = columnsOf<LocatedSegment>({
  interval: { value: (segment) => segment.interval, show: formatIntervalCell },
  version: (segment) => segment.version,
  partition: (segment) => segment.partitionNumber,
  size: { value: (segment) => segment.size, kind: 'bytes' },
  servers: (segment) => segment.locations.map(({ name }) => name).join(', '),
});

export const candidates = command({
  summary: 'List the segments and servers that a native query would read',
  examples: [
    'svcctl query candidates --file top-pages.json',
    'svcctl query candidates --file top-pages.json --num-candidates 1 -o json',
  ],
  arguments: queryArgument,
  options: { ...fileOption, numCandidates: native.candidates.query.numCandidates },
  shorts: { file: 'f' },
  endpoints: [native.candidates],
  columns,
  async run({ call, out, io }, input) {
    const { numCandidates } = input.options;
    const query = numCandidates === undefined ? {} : { query: { numCandidates } };
    await out.rows(
      await call(native.candidates, { body: await queryOf(input, io), ...query }),
      columns,
    );
  },
});
