import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { ServiceError } from '../../client/errors.ts';
import { sql } from '../../contract/sql.ts';
import { statements } from '../../contract/statements.ts';

interface Engine {
  readonly name: string;
  readonly tasks: boolean | undefined;
  readonly statements: boolean | undefined;
}

const columns = columnsOf<Engine>({
  name: ({ name }) => name,
  tasks: { value: ({ tasks }) => tasks, wide: true },
  statements: { value: ({ statements }) => statements, wide: true },
});

// The engine that runs statements as tasks.
const taskEngine = 'msq-task';

export const engines = command({
  summary: 'List the available SQL engines',
  examples: ['svcctl sql engines', 'svcctl sql engines --output wide'],
  endpoints: [sql.engines, sql.taskEnabled, statements.enabled],
  columns,
  async run({ call, out }) {
    const [{ engines }, tasks, asynchronous] = await Promise.all([
      call(sql.engines),
      isEnabled(call(sql.taskEnabled)),
      isEnabled(call(statements.enabled)),
    ]);
    const rows = engines.map(
      ({ name }): Engine => ({
        name,
        tasks: name === taskEngine && tasks,
        statements: name === taskEngine && asynchronous,
      }),
    );
    await out.rows(rows, columns);
  },
});

// Older services lack this endpoint.
async function isEnabled(asked: Promise<{ enabled: boolean }>): Promise<boolean | undefined> {
  try {
    return (await asked).enabled;
  } catch (error) {
    if (error instanceof ServiceError && error.isLacking) return undefined;
    throw error;
  }
}
