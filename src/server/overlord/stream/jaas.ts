// The one login that `sasl.jaas.config` holds (Kafka: security, "JAAS configuration for Kafka clients"):
// `org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="secret";`
import { StreamUnavailable } from './stream.ts';

/** The options of a login, by name. Throws StreamUnavailable, which does not repeat what stands there, for what is no login. */
export function loginOptions(login: string): ReadonlyMap<string, string> {
  const [, written] = /^\s*[\w.$]+\s+(?:required|requisite|sufficient|optional)\b(.*?);?\s*$/is.exec(login) ?? [];
  if (written === undefined) throw unreadable();
  const options = new Map<string, string>();
  const option = /\s*([\w.-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"']+))/sy;
  let end = 0;
  for (let found = option.exec(written); found; found = option.exec(written)) {
    const [, name = '', double, single, plain = ''] = found;
    options.set(name, (double ?? single)?.replaceAll(/\\(.)/gs, '$1') ?? plain);
    end = option.lastIndex;
  }
  if (written.slice(end).trim() !== '') throw unreadable();
  return options;
}

const unreadable = () =>
  new StreamUnavailable(
    '[sasl.jaas.config] of the consumerProperties cannot be read; expected [<login module> required <name>="<value>" ...;]',
  );
