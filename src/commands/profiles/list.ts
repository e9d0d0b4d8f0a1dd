import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { answerFlags } from '../../cli/process/flags.ts';
import { type Profile, readConfig } from '../../cli/profiles/profiles.ts';

interface Row extends Omit<Profile, 'password'> {
  readonly name: string;
  readonly current: boolean;
}

const columns = columnsOf<Row>({
  name: ({ name }) => name,
  current: ({ current }) => current,
  url: ({ url }) => url,
  service: ({ service }) => service,
  user: ({ user }) => user,
  protected: ({ protected: isProtected }) => isProtected === true,
  version: { value: ({ version }) => version, wide: true },
  password: { value: ({ passwordIn }) => passwordIn, wide: true },
});

export const list = command({
  summary: 'List the profiles',
  examples: ['svcctl profiles list', 'svcctl profiles list --output json'],
  columns,
  obeys: [...answerFlags, 'profile'],
  async run({ out, io }) {
    const { profiles, current } = readConfig(io.env);
    const rows = Object.entries(profiles).map(([name, { password: _, ...profile }]) => ({
      name,
      current: name === current,
      ...profile,
    }));
    await out.rows(rows, columns);
    if (rows.length === 0)
      out.note('There are no profiles yet: svcctl profiles add NAME --url URL creates one');
  },
});
