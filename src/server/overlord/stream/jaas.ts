// Login in `sasl.jaas.config` (Kafka: security, "JAAS configuration for Kafka clients"):
// `org.apache.kafka.common.security.plain.PlainLoginModule required username="me"
// password="secret";`
import { StreamUnavailable } from './stream.ts';

/**
 * The options of a login, by name. Throws StreamUnavailable for an invalid login; the error does
 * not contain its text.
 */
export function loginOptions(login: string): ReadonlyMap<string, string> {
  const [, flag, ...rest] = wordsIn(login);
  if (flag === undefined || !flags.includes(flag.text.toLowerCase())) throw unreadable();
  if (rest.at(-1)?.text === ';') rest.pop();
  const options = new Map<string, string>();
  for (let at = 0; at < rest.length; at += 3) {
    const [name, equals, value] = rest.slice(at, at + 3);
    if (!name || !value || equals?.text !== '=' || !/^[\w.-]+$/.test(name.text)) throw unreadable();
    options.set(name.text, value.text);
  }
  return options;
}

const flags = ['required', 'requisite', 'sufficient', 'optional'];

interface Word {
  readonly text: string;
}

// A single pass, because a login may be as long as a request.
function wordsIn(login: string): Word[] {
  const word = /\s+|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([=;])|([^\s;"'=]+)/sy;
  const words: Word[] = [];
  while (word.lastIndex < login.length) {
    const found = word.exec(login);
    if (!found) throw unreadable();
    const [, double, single, sign, plain] = found;
    const quoted = (double ?? single)?.replaceAll(/\\(.)/gs, '$1');
    const text = quoted ?? sign ?? plain;
    if (text !== undefined) words.push({ text });
  }
  return words;
}

const unreadable = () =>
  new StreamUnavailable(
    '[sasl.jaas.config] of the consumerProperties cannot be read; expected [<login module> required <name>="<value>" ...;]',
  );
