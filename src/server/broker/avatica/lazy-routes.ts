// JDBC of the Broker. Its code is loaded on the first request of a driver.
import type { Routes } from '../../handlers/routes.ts';
import type { AvaticaRoutes } from './routes.ts';
import type { AvaticaParts } from './service.ts';

/** The handlers of JDBC; closing them closes all connections. */
export function lazyAvaticaRoutes(parts: AvaticaParts): {
  readonly handlers: Routes<'avatica'>;
  close(): Promise<void>;
} {
  let loading: Promise<AvaticaRoutes> | undefined;
  const load = () => {
    loading ??= import('./routes.ts').then(({ avaticaRoutes }) => avaticaRoutes(parts));
    return loading;
  };
  return {
    handlers: {
      json: async (request) => (await load()).json(request),
      protobuf: async (request) => (await load()).protobuf(request),
    },
    close: async () => (await loading)?.close(),
  };
}
