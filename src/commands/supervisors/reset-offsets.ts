import { type Context, command } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { listOf, optional, required, text } from '../../contract/schema.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

export const resetOffsets = command({
  summary: 'Set the offsets of partitions; data may be lost or duplicated',
  description:
    'Other partitions keep their offsets. The topic is that of the specification unless --stream names another.',
  examples: ['svcctl supervisors reset-offsets edits 0=1200 3=980 --yes'],
  endpoints: [supervisors.resetOffsets, supervisors.get],
  arguments: {
    ...supervisorId,
    offsets: required(
      listOf(text),
      'New offset as PARTITION=OFFSET, or TOPIC:PARTITION=OFFSET with several topics',
    ),
  },
  options: { stream: optional(text, 'Topic or topicPattern') },
  completers,
  ids: { supervisorId: identified },
  hints,
  writes: 'change',
  async run(context, { args: { supervisorId, offsets }, options }) {
    const { call, confirm, out, dryRun } = context;
    const partitionOffsetMap = Object.fromEntries(offsets.map(offsetIn));
    const { type, stream } = await streamOf(context, supervisorId);
    const count = Object.keys(partitionOffsetMap).length;
    const partitions = `${count} ${count === 1 ? 'partition' : 'partitions'}`;
    await confirm({
      level: 'change',
      what: `Set the offsets of ${partitions} of supervisor [${supervisorId}]; data may be lost or read twice`,
      name: supervisorId,
    });
    await call(supervisors.resetOffsets, {
      params: { supervisorId },
      body: {
        type,
        partitions: { type: 'end', stream: options.stream ?? stream, partitionOffsetMap },
      },
    });
    if (!dryRun)
      out.changed(
        supervisorId,
        `Supervisor [${supervisorId}] continues at other offsets in ${partitions}.`,
        commandLine`svcctl supervisors status ${supervisorId}`,
      );
  },
});

async function streamOf({ call }: Context, supervisorId: string) {
  const { type, spec } = await call(supervisors.get, { params: { supervisorId } });
  const stream = spec?.ioConfig?.topic ?? spec?.ioConfig?.stream;
  return { type, stream: typeof stream === 'string' ? stream : '' };
}

function offsetIn(given: string): [string, number | bigint] {
  const [, partition, offset] = /^((?:[\w.-]+:)?\d+)=(\d+)$/.exec(given) ?? [];
  if (partition === undefined || offset === undefined)
    throw new UsageError(
      `[${given}] is not a PARTITION=OFFSET`,
      'an example: svcctl supervisors reset-offsets edits 0=1200',
    );
  return [partition, Number.isSafeInteger(Number(offset)) ? Number(offset) : BigInt(offset)];
}
