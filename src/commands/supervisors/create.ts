import { command } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { optional, text } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import { schemaOptions } from '../shared/builder/schema-options.ts';

export const create = command({
  summary: 'Build the specification of a Kafka supervisor from a topic, step by step',
  description:
    'Asks for the topic, format, time, columns, rollup and granularity, and shows parsed rows of the topic after each step. Flags answer questions beforehand; off a terminal, guesses do. Nothing is started: the specification goes to a file for svcctl supervisors apply.',
  examples: [
    'svcctl supervisors create edits --bootstrap-servers localhost:9092 --into edits --out edits-stream.json',
  ],
  endpoints: [tasks.sample],
  arguments: { topic: optional(text, 'Topic to read') },
  options: {
    bootstrapServers: optional(text, 'Brokers of Kafka, as host:port,host:port'),
    into: optional(text, 'Datasource to write to (default: the name of the topic)'),
    ...schemaOptions,
  },
  completers: { into: datasourceNames },
  async run(context, { args, options: { bootstrapServers, into, out: given, ...flags } }) {
    // Loaded only here, so that help and completion stay fast.
    const [{ textOf }, { buildSchema }, { writeSpecification }] = await Promise.all([
      import('../shared/builder/answers.ts'),
      import('../shared/builder/build-schema.ts'),
      import('../shared/builder/write-specification.ts'),
    ]);
    const servers = await textOf(context, 'Brokers of Kafka (host:port):', {
      flag: '--bootstrap-servers',
      given: bootstrapServers,
      guess: 'localhost:9092',
    });
    const topic = await textOf(context, 'Topic:', { flag: 'argument topic', given: args.topic });
    const dataSource = await textOf(context, 'Datasource to write to:', {
      flag: '--into',
      given: into,
      guess: topic,
    });
    const stream = {
      type: 'kafka',
      topic,
      consumerProperties: { 'bootstrap.servers': servers },
      useEarliestOffset: true,
    };
    const source = { type: 'kafka', ioConfig: stream } as const;
    const { inputFormat, dataSchema } = await buildSchema(
      context,
      dataSource,
      source,
      flags,
      'json',
    );
    const specification = {
      type: 'kafka',
      spec: {
        dataSchema,
        ioConfig: { ...stream, inputFormat, taskCount: 1, replicas: 1, taskDuration: 'PT1H' },
        tuningConfig: { type: 'kafka' },
      },
    };
    await writeSpecification(context, specification, {
      given,
      usual: `${dataSource}-stream.json`,
      next: (written) => commandLine`svcctl supervisors apply ${written} --wait`,
    });
  },
});
