import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { exitCodes } from '../../cli/process/exit-codes.ts';
import { folderName, required } from '../../contract/schema.ts';
import { clusterOf } from '../shared/configuration/areas.ts';
import { type ConfigurationChange, changesBetween } from '../shared/configuration/changes.ts';
import { readFiles } from '../shared/configuration/folder.ts';
import {
  areasNamed,
  completesAreas,
  liveEndpoints,
  liveOptions,
  readLive,
} from '../shared/configuration/live.ts';
import { oneLineOf } from '../shared/configuration/one-line.ts';

/** A field of an object that differs. */
interface Row extends Pick<ConfigurationChange, 'area' | 'name'> {
  readonly change: ConfigurationChange['kind'];
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

const columns = columnsOf<Row>({
  area: ({ area }) => area,
  name: ({ name }) => name,
  change: { value: ({ change }) => change, kind: 'state' },
  path: ({ path }) => path,
  before: ({ before }) => oneLineOf(before),
  after: ({ after }) => oneLineOf(after),
});

export const diff = command({
  summary: 'Compare the cluster with files',
  description:
    'Compares the meaning of documents field by field. The order of keys, other spellings of a period, and defaults that the service fills in are not differences. `before` is the value in the cluster, `after` the value in the files; a resource that only the cluster has would be removed. Exit code 0 without differences, 1 with differences.',
  examples: ['svcctl diff --dir cluster', 'svcctl diff --dir cluster --only rules --output json'],
  endpoints: liveEndpoints,
  options: {
    dir: required(folderName, 'Folder of files, as written by svcctl export'),
    ...liveOptions,
  },
  ...completesAreas,
  shorts: { dir: 'd' },
  formerly: { dir: { name: 'files', short: 'f' } },
  columns: 'dynamic',
  async run(context, { options: { dir: folder, only, ...lists } }) {
    const wanted = areasNamed(only);
    const files = readFiles(folder);
    const compared = wanted.filter(({ name }) => files.areas.includes(name));
    const live = await readLive(clusterOf(context, lists), compared, context);
    const changes = changesBetween(live, files);
    await context.out.rows(changes.flatMap(rowsOf), columns);
    if (changes.length === 0) return context.out.note('The cluster matches the files.');
    context.out.note(
      `${changes.length} ${changes.length === 1 ? 'thing differs' : 'things differ'}.`,
    );
    return exitCodes.failed;
  },
});

const rowsOf = ({ area, name, kind, differences }: ConfigurationChange): Row[] =>
  differences.map((difference) => ({ area, name, change: kind, ...difference }));
