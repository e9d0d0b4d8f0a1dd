// Resources that a submitted task uses besides its own datasource.
import type { Resource } from '../../sql/statement.ts';
import { refusalOf } from '../statements/sql-refusals.ts';
import type { Metadata } from '../storage/metadata.ts';
import type { StoredPayload } from '../storage/tasks.ts';
import { dataSourcesOfSupervisor } from './supervisors/spec.ts';
import { type StatementParts, statementOf } from './types/controlled-statement.ts';

export interface TaskResourcesParts extends StatementParts {
  readonly metadata: Metadata;
}

/**
 * The resources of a task, for checking the submitter's permissions. Rejects with a Refusal for a
 * statement that cannot be planned.
 */
export async function taskResources(
  task: StoredPayload,
  { metadata, ...parts }: TaskResourcesParts,
  signal: AbortSignal,
): Promise<readonly Resource[]> {
  switch (task.type) {
    case 'query_controller':
      try {
        return (await statementOf(task, parts, { signal })).resources;
      } catch (error) {
        throw refusalOf(error, undefined);
      }
    case 'index_kafka': {
      // The task commits offsets of this supervisor. Before the supervisor exists, its datasource
      // is assumed to have the same name.
      if (typeof task.supervisorId !== 'string') return [];
      const known = dataSourcesOfSupervisor(metadata, task.supervisorId);
      return (known.length > 0 ? known : [task.supervisorId]).map((name) => ({
        type: 'DATASOURCE',
        name,
        action: 'WRITE',
      }));
    }
    default:
      return [];
  }
}
