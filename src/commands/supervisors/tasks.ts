import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { type SupervisorStatus, supervisors } from '../../contract/supervisors.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

type SupervisedTask = NonNullable<
  NonNullable<SupervisorStatus['payload']['publishingTasks']>[number]
>;

const columns = columnsOf<SupervisedTask>({
  id: ({ id }) => id,
  type: { value: ({ type }) => type, kind: 'state' },
  started: { value: ({ startTime }) => startTime, kind: 'time' },
  remaining: {
    value: ({ remainingSeconds }) =>
      typeof remainingSeconds === 'number' ? remainingSeconds * 1000 : null,
    kind: 'duration',
  },
  lag: ({ lag }) =>
    lag ? Object.values(lag).reduce<bigint>((sum, each) => sum + wholeIn(each), 0n) : null,
  offsets: { value: ({ currentOffsets }) => offsetsIn(currentOffsets), wide: true },
  startingOffsets: { value: ({ startingOffsets }) => offsetsIn(startingOffsets), wide: true },
});

export const tasks = command({
  summary: 'List the reading and publishing tasks of a supervisor',
  examples: ['svcctl supervisors tasks edits', 'svcctl supervisors tasks edits --output wide'],
  endpoints: [supervisors.status],
  arguments: supervisorId,
  completers,
  ids: { supervisorId: identified },
  hints,
  columns,
  async run({ call, out }, { args }) {
    const { payload } = await call(supervisors.status, { params: args });
    await out.rows(
      [
        ...(Array.isArray(payload.activeTasks) ? payload.activeTasks : []),
        ...(payload.publishingTasks ?? []),
      ],
      columns,
    );
  },
});

const offsetsIn = (offsets: SupervisedTask['startingOffsets']) =>
  offsets &&
  Object.entries(offsets)
    .map(([partition, offset]) => `${partition}=${offset}`)
    .join(' ');

const wholeIn = (value: number | bigint | string) =>
  /^-?\d+$/.test(String(value)) ? BigInt(value) : 0n;
