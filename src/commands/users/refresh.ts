import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { authentication } from '../../contract/authentication.ts';
import { authorization } from '../../contract/authorization.ts';
import { hints } from '../shared/users/store.ts';

interface Store {
  readonly name: string;
  readonly kind: 'authenticator' | 'authorizer';
  readonly loaded: boolean;
}

const columns = columnsOf<Store>({
  name: ({ name }) => name,
  kind: ({ kind }) => kind,
  loaded: ({ loaded }) => loaded,
});

export const refresh = command({
  summary: 'Refresh the users and roles on all nodes',
  examples: ['svcctl users refresh'],
  endpoints: [
    authentication.refreshAll,
    authorization.refreshAll,
    authentication.loadStatus,
    authorization.loadStatus,
  ],
  columns,
  hints,
  async run({ call, out }) {
    await call(authentication.refreshAll);
    await call(authorization.refreshAll);
    const rows = (kind: Store['kind'], status: Readonly<Record<string, boolean>>) =>
      Object.entries(status).map(([name, loaded]): Store => ({ name, kind, loaded }));
    await out.rows(
      [
        ...rows('authenticator', await call(authentication.loadStatus)),
        ...rows('authorizer', await call(authorization.loadStatus)),
      ],
      columns,
    );
  },
});
