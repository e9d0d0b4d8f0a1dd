import { command } from '../../cli/command/command.ts';
import { flag, folderName, optional, required } from '../../contract/schema.ts';
import { withoutNulls } from '../../model/difference.ts';
import { mask } from '../../model/secrets.ts';
import { commandLine } from '../../model/shell-text.ts';
import { clusterOf } from '../shared/configuration/areas.ts';
import { writeFiles } from '../shared/configuration/folder.ts';
import {
  areasNamed,
  completesAreas,
  liveEndpoints,
  liveOptions,
  readLive,
} from '../shared/configuration/live.ts';

export const exported = command({
  summary: "Export the cluster's configuration to files",
  description:
    'Writes one YAML file per resource, with sorted keys: rules, compaction, dynamic configurations, lookups, supervisors, users, roles with their permissions, group mappings. Secrets are written as <masked>, which keeps the value in the cluster when the file is applied. Files of deleted resources stay unless --prune is given; other files in the folder are not touched.',
  examples: [
    'svcctl export --dir cluster',
    'svcctl export --dir cluster --only rules,compaction --prune',
  ],
  endpoints: liveEndpoints,
  options: {
    dir: required(folderName, 'Target folder; created if missing'),
    ...liveOptions,
    prune: optional(flag, 'Remove files of objects that no longer exist'),
  },
  ...completesAreas,
  shorts: { dir: 'd' },
  async run(context, { options: { dir, only, prune = false, ...lists } }) {
    const { out } = context;
    const live = await readLive(clusterOf(context, lists), areasNamed(only), context);
    const things = [...live].flatMap(([area, named]) =>
      [...named].map(([name, document]) => ({
        area,
        name,
        document: mask(toFileContent(area, document)),
      })),
    );
    const { files, changed, stale } = writeFiles(dir, { areas: [...live.keys()], things }, prune);
    if (stale.length > 0)
      out.note(
        prune
          ? `${countFiles(stale.length)} of deleted objects removed: ${stale.join(', ')}`
          : `${countFiles(stale.length)} of deleted objects not removed: ${stale.join(', ')}; --prune removes them`,
      );
    out.changed(
      dir,
      `${countFiles(files)} in [${dir}], ${changed} of them changed.`,
      commandLine`svcctl diff --dir ${dir}`,
    );
  },
});

const countFiles = (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`;

// A lookup's version changes with every update, so a file would be outdated at once.
function toFileContent(area: string, document: unknown): unknown {
  const known = withoutNulls(document);
  if (area !== 'lookups') return known;
  const { version: _, ...lookup } = known as Readonly<Record<string, unknown>>;
  return lookup;
}
