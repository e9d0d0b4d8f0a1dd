import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { metadata } from '../../contract/metadata.ts';
import { rules } from '../../contract/rules.ts';
import { integer, optional } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import { checkRules } from '../shared/rules/check-rules.ts';
import { confirmRules } from './confirm-rules.ts';
import { completers, dataSource } from './datasource.ts';
import { ruleCompleters, ruleFrom, ruleOptions } from './one-rule.ts';

export const add = command({
  summary: 'Add a retention rule to a datasource',
  description:
    'The first rule that matches a segment applies, so the position matters: --at 1 is evaluated first. Asks for confirmation when segments would leave the servers.',
  examples: [
    'svcctl rules add wikipedia --type loadByPeriod --period P1Y --at 1 --comment "keep a year"',
    'svcctl rules add wikipedia --type dropForever --yes',
  ],
  endpoints: [rules.get, rules.set, rules.list, metadata.segments],
  arguments: dataSource,
  completers: { ...completers, ...ruleCompleters },
  writes: 'change',
  options: {
    ...ruleOptions,
    at: optional(integer, 'Position of the rule, from 1 (default: last)'),
    ...optionsFromHeaders(rules.set),
  },
  async run(context, { args, options: { at, author, comment, ...words } }) {
    const { call, out, dryRun } = context;
    const known = await call(rules.get, { params: args });
    const place = at ?? known.length + 1;
    if (place < 1 || place > known.length + 1)
      throw new UsageError(
        `Invalid value for --at: [${place}]; there are ${known.length} rules`,
        `use 1 to ${known.length + 1}`,
      );
    const body = [...checkRules(known.toSpliced(place - 1, 0, ruleFrom(words)))];
    const headers = {
      ...(author !== undefined && { author }),
      ...(comment !== undefined && { comment }),
    };
    await confirmRules(context, args.dataSource, body);
    await call(rules.set, { params: args, headers, body });
    if (!dryRun)
      out.changed(
        args.dataSource,
        `Rule ${place} of ${body.length} of datasource [${args.dataSource}] is added.`,
        commandLine`svcctl rules get ${args.dataSource} --full`,
      );
  },
});
