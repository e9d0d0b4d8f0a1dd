import { command } from '../../cli/command.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { findingColumns, printFindings } from '../../cli/output/findings.ts';
import { readConfig } from '../../cli/profiles/profiles.ts';
import { credentialsOf } from '../../cli/profiles/secrets.ts';
import { withProfile } from '../../cli/profiles/settings.ts';
import { examine } from './diagnosis/examine.ts';
import { placeOf } from './diagnosis/place.ts';
import { completers, maybeProfileName, profileNamed } from './profile-name.ts';

export const test = command({
  summary: 'Try a profile, and say what is wrong with it and what to do',
  description:
    'Looks at what a request meets on its way, in this order: the name of the host, the connection, TLS and certificates, a proxy, user and password,\n' +
    'what answers, under which name, and in which role: a Broker or a Coordinator is told from the Router, which is what a profile should name.\n' +
    'Exit code 6 when nothing answers, 4 when the user is not let in, 1 when something else than expected answers. -o json has the facts behind each finding.',
  examples: ['svcctl profiles test', 'svcctl profiles test local', 'svcctl profiles test --output json'],
  arguments: maybeProfileName,
  completers,
  columns: findingColumns,
  async run(context, { args: { name } }) {
    const { io, resolved: chosen, ask } = context;
    const resolved = name === undefined ? chosen : withProfile(chosen, name, profileNamed(readConfig(io.env), name));
    const { findings, outcome } = await examine(placeOf(context, resolved, await credentialsOf(resolved, io, ask)));
    await printFindings(context, findings);
    return exitCodes[outcome];
  },
});
