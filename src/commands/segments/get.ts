import { command } from '../../cli/command/command.ts';
import { metadata } from '../../contract/metadata.ts';
import { flag, optional, required, text } from '../../contract/schema.ts';
import {
  checkSegmentId,
  completers,
  hints,
  identified,
} from '../shared/segments/segment-selection.ts';

export const get = command({
  summary: 'Show the metadata of a segment',
  examples: [
    'svcctl segments get wikipedia "$(svcctl segments list --datasource wikipedia --output name | head -1)"',
  ],
  endpoints: [metadata.segment],
  arguments: {
    dataSource: required(text, 'Name of the datasource'),
    segmentId: required(text, 'Segment id'),
  },
  options: { unused: optional(flag, 'Also show an unused segment') },
  completers,
  ids: { segmentId: identified },
  hints,
  async run({ call, out }, { args, options: { unused } }) {
    checkSegmentId(args.dataSource, args.segmentId);
    await out.document(
      await call(metadata.segment, { params: args, query: unused ? { includeUnused: true } : {} }),
    );
  },
});
