import { command } from '../../cli/command/command.ts';
import { type Cell, columnsOf } from '../../cli/lists/columns.ts';
import { config } from '../../contract/config.ts';
import { isObject } from '../../model/difference.ts';

type Clone = Readonly<Record<string, unknown>>;

const cell = (value: unknown): Cell =>
  typeof value === 'number' || typeof value === 'bigint'
    ? value
    : value == null
      ? undefined
      : String(value);

const columns = columnsOf<Clone>({
  server: (clone) => cell(clone.targetServer),
  source: (clone) => cell(clone.sourceServer),
  state: { value: (clone) => cell(clone.state), kind: 'state' },
  toLoad: (clone) => cell(clone.segmentLoadsRemaining),
  toLoadSize: { value: (clone) => cell(clone.bytesToLoad), kind: 'bytes' },
  toDrop: (clone) => cell(clone.segmentDropsRemaining),
});

export const clones = command({
  summary: 'List cloned servers and their progress',
  examples: ['svcctl servers clones', 'svcctl servers clones --output json'],
  endpoints: [config.cloneStatus],
  columns,
  async run({ call, out }) {
    const answer: unknown = await call(config.cloneStatus);
    const clones: unknown = isObject(answer) ? answer.cloneStatus : undefined;
    await out.rows(Array.isArray(clones) ? clones.filter(isObject) : [], columns);
  },
});
