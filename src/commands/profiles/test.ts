import { command } from '../../cli/command/command.ts';
import { type Finding, findingColumns, printFindings } from '../../cli/command/findings.ts';
import { exitCodes } from '../../cli/process/exit-codes.ts';
import { flagEntries } from '../../cli/process/flags.ts';
import { type Profile, readConfig } from '../../cli/profiles/profiles.ts';
import { credentialsOf } from '../../cli/profiles/secrets.ts';
import { type Resolved, withProfile } from '../../cli/profiles/settings.ts';
import { placeOf } from '../shared/services/place.ts';
import { examine } from './diagnosis/examine.ts';
import { completers, maybeProfileName, profileNamed } from './profile-name.ts';

export const test = command({
  summary: 'Test a profile and suggest fixes',
  description:
    "Checks each step of a request in this order: the host name, the connection, TLS and certificates, a proxy, user and password,\nthen the service's name and role. Profiles should name the Router, not a Broker or a Coordinator.\nAn environment variable that overrides the profile is named. With a name, the profile is tested without such variables.\nExit codes: 6 without an answer, 4 when the user is refused, 1 for an unexpected answer. -o json has the facts behind each finding.",
  examples: [
    'svcctl profiles test',
    'svcctl profiles test local',
    'svcctl profiles test --output json',
  ],
  arguments: maybeProfileName,
  completers,
  columns: findingColumns,
  async run(context, { args: { name } }) {
    const { io, resolved: chosen, ask } = context;
    const resolved =
      name === undefined
        ? chosen
        : withProfile(chosen, name, profileNamed(readConfig(io.env), name), true);
    const { findings, outcome } = await examine(
      placeOf(context, resolved, await credentialsOf(resolved, io, ask)),
    );
    await printFindings(context, [...inTheWay(chosen, resolved), ...findings]);
    return exitCodes[outcome];
  },
});

// The environment overrides the profile, except when the profile is tested by its name.
function inTheWay({ winners }: Resolved, tested: Resolved): Finding[] {
  const { profile, profileName } = tested;
  return flagEntries.flatMap(([name, { group, kept }]) => {
    const said = winners.get(name);
    const own = profile?.[name as keyof Profile];
    const isOther = own !== undefined && String(own) !== String(said?.value);
    if (!kept || group !== 'connection' || said?.source !== 'environment' || !isOther) return [];
    const isObeyed = tested.winners.get(name)?.source === 'environment';
    const says = isObeyed
      ? `${said.from} is set and is tested instead of the setting of profile [${profileName}].`
      : `${said.from} is set: other commands use it instead of the setting of profile [${profileName}].`;
    return [{ check: 'environment', state: 'note', says, remedy: `unset ${said.from}` } as const];
  });
}
