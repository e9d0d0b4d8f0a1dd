// A service whose every text is an attack on the terminal of the one who asks. Its replies fit the
// contract.
import { areas } from '../../src/contract/index.ts';
import type { Fields, Schema } from '../../src/contract/schema.ts';
import { standIn } from './stand-in.ts';

/** What no terminal may get. Nothing of it is a sequence that svcctl writes itself. */
export const attacks = [
  '\x1b]0;owned\x07',
  '\x1b]8;;http://evil\x1b\\',
  '\x1b[37;41m',
  '\x1b[13C',
  '\x1b[21t',
  '\x1bP1q',
  '\x1bc',
  '\x9b2J',
  '\x9d0;x\x9c',
  '\x85',
  '\x07',
  '\b\b',
  '\x7f',
  '\0',
  '\x0b',
  '\x0e',
  'A\rB',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
  '\u2028',
  '\u2029',
];

/** All of them in one name, and what shells obey. */
export const hostileText = `x'"\`id\`$(id)${attacks.join('|')}\nerror: forged\nhint: forged\n`;

/**
 * `texts`: all texts are attacks; `times`: but those that a command reads as times or intervals;
 * `refusals`: nothing is answered but errors.
 */
export type Mode = 'texts' | 'times' | 'refusals';

export const hostileService = (mode: () => Mode) =>
  standIn((response, { method, path, body }) => {
    const { pathname } = new URL(path, 'http://x');
    const found = endpoints.find((one) => one.method === method && one.pattern.test(pathname));
    response.setHeader('content-type', 'application/json');
    if (mode() === 'refusals' || !found) {
      const said = {
        error: hostileText,
        errorMessage: hostileText,
        errorClass: hostileText,
        persona: 'USER',
        category: 'INVALID_INPUT',
      };
      return void response
        .writeHead(400)
        .end(
          JSON.stringify({ ...said, host: hostileText, context: { [hostileText]: hostileText } }),
        );
    }
    const { reply } = found.endpoint;
    if (reply.kind === 'json')
      response.end(
        JSON.stringify(fittingValue(reply.schema, { name: '', mode: mode(), depth: 0 })),
      );
    else if (reply.kind === 'text') response.end(`${hostileText}\r\n`.repeat(3));
    else if (reply.kind === 'rows') response.end(rowsIn(body));
    else response.end();
  });

const endpoints = Object.values(areas).flatMap((area) =>
  Object.values(area).flatMap((endpoint) =>
    [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => ({
      endpoint,
      method: endpoint.method as string,
      pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`),
    })),
  ),
);

interface Place {
  readonly name: string;
  readonly mode: Mode;
  readonly depth: number;
}

interface Parts {
  readonly type: string;
  readonly item?: Schema;
  readonly value?: Schema;
  readonly wrapped?: Schema;
  readonly entries?: Fields;
  readonly options?: readonly unknown[];
}

function fittingValue(schema: Schema, place: Place): unknown {
  const { type, item, value, wrapped, entries, options = [] } = schema as unknown as Parts;
  const inside = (name: string) => ({ ...place, name, depth: place.depth + 1 });
  if (type === 'string') return textNamed(place);
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'bigint') return 3;
  if (type === 'picklist') return options[0];
  if (type === 'union')
    return fittingValue(
      options.find((option) => (option as Parts).type !== 'string') as Schema,
      place,
    );
  if (wrapped) return fittingValue(wrapped, place);
  if (type === 'array' && item) return [fittingValue(item, place), fittingValue(item, place)];
  if (type === 'record' && value) return { [hostileText]: fittingValue(value, inside(place.name)) };
  if (entries) {
    const known = Object.entries(entries).map(([name, field]) => [
      name,
      fittingValue(field, inside(name)),
    ]);
    return { ...Object.fromEntries(known), [`more${hostileText}`]: hostileText };
  }
  return place.depth > 5 ? hostileText : { type: hostileText, [hostileText]: [hostileText] };
}

function textNamed({ name, mode }: Place): string {
  if (mode !== 'times') return hostileText;
  if (/interval/i.test(name)) return '2024-01-01T00:00:00.000Z/2024-01-02T00:00:00.000Z';
  return /time|date|created|version|start|end$/i.test(name)
    ? '2024-05-01T12:00:00.000Z'
    : hostileText;
}

// As the request wants them; a line of each format ends with an empty one.
function rowsIn(body: string): string {
  const { resultFormat = 'object', header } = (body === '' ? {} : JSON.parse(body)) as {
    resultFormat?: string;
    header?: boolean;
  };
  const row = { [hostileText]: hostileText, plan: hostileText };
  const [names, cells] = [JSON.stringify(Object.keys(row)), JSON.stringify(Object.values(row))];
  if (resultFormat === 'arrayLines') return `${header ? `${names}\n` : ''}${cells}\n\n`;
  if (resultFormat === 'objectLines') return `${JSON.stringify(row)}\n\n`;
  if (resultFormat === 'csv')
    return `${Object.values(row)
      .map((cell) => `"${cell.replaceAll('"', '""')}"`)
      .join(',')}\n\n`;
  return resultFormat === 'array'
    ? `[${header ? `${names},` : ''}${cells}]`
    : `[${JSON.stringify(row)}]`;
}
