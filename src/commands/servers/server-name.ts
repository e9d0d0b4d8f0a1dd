// Server argument, the only argument of most server verbs.
import type { Completer } from '../../cli/command/command.ts';
import { cluster } from '../../contract/cluster.ts';
import { required, text } from '../../contract/schema.ts';

export const server = { server: required(text, 'Server as host:port') };

const serverNames: Completer = async ({ call }) =>
  (await call(cluster.servers)).flatMap((name) => (typeof name === 'string' ? [name] : []));
export const completers = { server: serverNames };

export const hints = { notFound: 'svcctl servers list shows the servers that have data' };
