// Hostile values: texts, JSON values, and valid JSON values with mutations.
export type Random = () => number;

export const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T;

/** A text with which software has trouble, or a usual name. */
export function oddText(random: Random): string {
  if (random() < 0.1) return randomText(random);
  return random() < 0.3 ? pick(random, usualTexts) : pick(random, oddTexts)();
}

/** Any bytes, at most `length` of them. */
export const randomBytes = (random: Random, length: number): Buffer =>
  Buffer.from(
    Array.from({ length: Math.floor(random() * length) }, () => Math.floor(random() * 256)),
  );

/** A JSON value, as text: what JSON.stringify cannot write is in it, too. */
export function oddJson(random: Random): string {
  return random() < 0.5 ? JSON.stringify(oddText(random)) : pick(random, oddLiterals)();
}

/**
 * A JSON text to which up to three things have happened: a part is gone, is something else, is
 * there twice.
 */
export function mutated(random: Random, value: unknown): string {
  let changed = value;
  // marks, which JSON.stringify can write, and what is to stand in their place
  const replacements = new Map<string, string>();
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--)
    changed = changedOnce(random, changed, replacements);
  let text = JSON.stringify(changed) ?? 'null';
  for (const [mark, json] of replacements) text = text.replace(`"${mark}"`, () => json);
  return random() < 0.05 ? cut(random, text) : text;
}

/** A JSON value that fits a JSON schema, as far as its types say. */
export function fitting(random: Random, schema: JsonSchema, depth = 0): unknown {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fitting(random, pick(random, choices), depth);
  if (schema.enum) return pick(random, schema.enum);
  if ('const' in schema) return schema.const;
  switch (schema.type) {
    case 'string':
      return pick(random, usualTexts);
    case 'integer':
      return pick(random, [0, 1, -1, 7, 1000, 2 ** 31, 2 ** 53]);
    case 'number':
      return pick(random, [0, 0.5, -1, 1e300]);
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: Math.floor(random() * 3) }, () =>
        fitting(random, schema.items ?? {}, depth + 1),
      );
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const chosen = Object.entries(properties).filter(
        ([name]) => required.includes(name) || random() < 0.5,
      );
      const more =
        typeof schema.additionalProperties === 'object' && depth < 4
          ? { [pick(random, usualTexts)]: schema.additionalProperties }
          : {};
      return Object.fromEntries(
        [...chosen, ...Object.entries(more)].map(([name, field]) => [
          name,
          fitting(random, field, depth + 1),
        ]),
      );
    }
    default:
      return depth > 3
        ? null
        : pick<unknown>(random, [
            'a',
            1,
            null,
            true,
            [],
            {},
            { type: 'a' },
            [{ type: 'b', name: 'c' }],
          ]);
  }
}

export interface JsonSchema {
  readonly type?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
}

const usualTexts = [
  'wiki',
  'a',
  '2024-01-01/2024-01-02',
  '2024-01-01T00:00:00Z',
  'P1D',
  'day',
  'SELECT 1',
  '_default',
  '0',
  'admin',
];

const oddTexts: readonly (() => string)[] = [
  () => '',
  () => ' ',
  () => "it's",
  () => '"',
  () => "';DROP TABLE wiki;--",
  () => '`$(id)`',
  () => '../outside',
  () => '../../../../../../etc/passwd',
  () => '..',
  () => '.',
  () => '/etc/passwd',
  () => 'a/b',
  () => '..\\..\\a',
  () => '%2e%2e%2f%2e%2e%2foutside',
  () => '%00',
  () => '\0',
  () => 'a\0b',
  () => '\r\nSet-Cookie: a=b',
  () => 'ä€😀',
  () => '\u202e\u200b\ufeff',
  () => '\ud800', // half a character
  () => 'é'.normalize('NFD'),
  () => 'x'.repeat(10_000),
  () => '('.repeat(10_000),
  () => '😀'.repeat(3000),
  () => 'NaN',
  () => 'Infinity',
  () => '-1',
  () => '1e999',
  () => '9223372036854775808',
  () => '99999999999999999999999999999999',
  () => '0x10',
  () => 'null',
  () => 'true',
  () => '{}',
  () => '[]',
  () => '__proto__',
  () => 'constructor',
  () => 'toString',
  () => '(a+)+$',
  () => '%s%n%d',
  () => `$${'{jndi:ldap://127.0.0.1/a}'}`,
  () => '2024-02-30/2024-02-31',
  () => '-146136543-09-08/146140482-04-24',
  () => '+999999-01-01/P9999999Y',
  () => '2024-01-02/2024-01-01',
  () => '2024-01-01_2024-01-02',
  () => 'P99999999999999Y',
  () => '-P1D',
  () => 'wiki_2024-01-01T00:00:00.000Z_2024-01-02T00:00:00.000Z_2024-02-01T00:00:00.000Z',
];

const oddLiterals: readonly (() => string)[] = [
  () => 'null',
  () => 'true',
  () => '0',
  () => '-0',
  () => '-1',
  () => '1.5',
  () => '1e999',
  () => '-1e999',
  () => '9007199254740993',
  () => '9223372036854775808',
  () => '-9223372036854775808',
  () => '9'.repeat(400),
  () => '1e308',
  () => '2147483648',
  () => '[]',
  () => '{}',
  () => '[[]]',
  () => '[null]',
  () => '{"":""}',
  () => '{"__proto__":{"type":"a"}}',
  () => '{"constructor":{"prototype":{"a":1}},"toString":1,"hasOwnProperty":2}',
  () => '{"a":1,"a":"2","a":[3]}',
  () => `${'['.repeat(3000)}${']'.repeat(3000)}`,
  () => `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
  () => `[${'1,'.repeat(5000)}1]`,
  () => '{"type":null}',
  () => '{"type":"__proto__"}',
  () => '{"type":["and"],"fields":{}}',
  () => '"\\u0000"',
  () => '"\\ud800"',
];

const randomText = (random: Random) =>
  String.fromCodePoint(
    ...Array.from({ length: Math.floor(random() * 20) }, () => codePoint(random)),
  );
const codePoint = (random: Random) =>
  Math.floor(random() * pick(random, [0x80, 0x100, 0xd800, 0x11_0000]));

function changedOnce(random: Random, value: unknown, replacements: Map<string, string>): unknown {
  const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isBranch || random() < 0.1) return mark(replacements, oddJson(random));
  const key = pick(random, Object.keys(value));
  const fields = value as Record<string, unknown>;
  const chance = random();
  if (Array.isArray(value)) {
    const items = [...value];
    if (chance < 0.1) items.splice(Number(key), 1);
    else if (chance < 0.2) items.push(items[Number(key)]);
    else items[Number(key)] = changedOnce(random, items[Number(key)], replacements);
    return items;
  }
  if (chance < 0.1)
    return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key));
  if (chance < 0.2) return { ...fields, [oddText(random)]: fields[key] };
  return { ...fields, [key]: changedOnce(random, fields[key], replacements) };
}

function mark(replacements: Map<string, string>, json: string): string {
  const name = `replaced-${replacements.size}`;
  replacements.set(name, json);
  return name;
}

const cut = (random: Random, text: string) => text.slice(0, Math.floor(random() * text.length));
