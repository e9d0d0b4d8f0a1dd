import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { rules } from '../../contract/rules.ts';
import { integer, required } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import { countOfRules } from './columns.ts';
import { confirmRules } from './confirm-rules.ts';
import { completers, dataSource } from './datasource.ts';

export const remove = command({
  summary: 'Remove a retention rule by its position',
  examples: ['svcctl rules remove wikipedia 1 --yes'],
  endpoints: [rules.get, rules.set],
  arguments: {
    ...dataSource,
    place: required(integer, 'Position of the rule, from 1, as shown by svcctl rules get'),
  },
  completers,
  writes: 'change',
  options: optionsFromHeaders(rules.set),
  async run(context, { args: { dataSource, place }, options: headers }) {
    const { call, confirm, out, dryRun } = context;
    const known = await call(rules.get, { params: { dataSource } });
    const rule = known[place - 1];
    if (!rule)
      throw new CommandError(
        'notFound',
        `Datasource [${dataSource}] has no rule ${place}: it has ${countOfRules(known.length)} of its own`,
        `${commandLine`svcctl rules get ${dataSource}`} shows them`,
      );
    const range = rule.period ?? rule.interval;
    const body = known.toSpliced(place - 1, 1);
    if (dataSource === '_default' && body.length === 0)
      await confirmRules(context, dataSource, body);
    else
      await confirm({
        level: 'change',
        what: `Remove rule ${place}, ${rule.type}${range ? ` ${range}` : ''}`,
        name: dataSource,
      });
    await call(rules.set, { params: { dataSource }, headers, body });
    if (!dryRun)
      out.changed(
        dataSource,
        `Datasource [${dataSource}] has ${countOfRules(body.length)}.`,
        commandLine`svcctl rules get ${dataSource} --full`,
      );
  },
});
