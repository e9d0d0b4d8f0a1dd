// Parser of the JSON functions of the SQL standard, which have words inside their parentheses.
import type { Call, Expression, JsonBehaviour, JsonModifiers } from '../ast.ts';
import { unknownFunction } from '../sql-error.ts';
import { parseTypeName } from './parse-type.ts';
import type { TokenCursor } from './token-cursor.ts';

/** Keyed by name in upper case. Each parser starts at the name and throws SqlError. */
export const JSON_FORMS: Readonly<Record<string, (cursor: TokenCursor) => Expression>> = {
  JSON_VALUE: form((cursor) => {
    const args = parseSource(cursor);
    if (args.length === 1) cursor.expect(',');
    const returning = parseReturning(cursor);
    return { args, json: { ...returning, ...parseBehaviours(cursor) } };
  }),
  JSON_QUERY: form((cursor) => {
    const args = parseSource(cursor);
    if (args.length === 1) cursor.expect(',');
    const returning = parseReturning(cursor);
    const wrapper = parseWrapper(cursor);
    return {
      args,
      json: {
        ...returning,
        ...(wrapper === undefined ? {} : { wrapper }),
        ...parseBehaviours(cursor),
      },
    };
  }),
  JSON_EXISTS: form((cursor) => {
    const args = parseSource(cursor);
    if (cursor.acceptAny('TRUE', 'FALSE', 'UNKNOWN', 'ERROR') !== undefined) {
      cursor.expect('ON', 'ERROR');
    }
    return { args };
  }),
  JSON_OBJECT: form((cursor) => {
    const args: Expression[] =
      cursor.at(')') || cursor.atAll('NULL', 'ON')
        ? []
        : cursor.list(() => parsePair(cursor)).flat();
    return { args, json: parseNullRule(cursor) };
  }),
  JSON_ARRAY: form((cursor) => {
    const args = cursor.at(')') ? [] : cursor.list(() => parseValue(cursor));
    return { args, json: parseNullRule(cursor) };
  }),
  JSON_OBJECTAGG: form((cursor) => ({ args: parsePair(cursor), json: parseNullRule(cursor) })),
  JSON_ARRAYAGG: form((cursor) => ({ args: [parseValue(cursor)], json: parseNullRule(cursor) })),
};

type Form = Pick<Call, 'args' | 'json'>;

function form(inside: (cursor: TokenCursor) => Form): (cursor: TokenCursor) => Call {
  return (cursor) => {
    const start = cursor.advance();
    const nameAt = cursor.since(start);
    cursor.expect('(');
    const { args, json = {} } = inside(cursor);
    cursor.expect(')');
    return {
      kind: 'call',
      name: start.key,
      nameAt,
      args,
      ...(Object.keys(json).length === 0 ? {} : { json }),
      at: cursor.since(start),
    };
  };
}

// The document, the path, and further arguments, which some clients add.
function parseSource(cursor: TokenCursor): Expression[] {
  const args = [parseValue(cursor)];
  while (cursor.accept(',')) {
    args.push(cursor.expression());
  }
  return args;
}

function parseValue(cursor: TokenCursor): Expression {
  const value = cursor.expression();
  if (cursor.atAll('FORMAT', 'JSON')) throw unknownFunction('FORMAT JSON', cursor.token);
  return value;
}

// KEY k VALUE v, k VALUE v, k : v, and k, v.
function parsePair(cursor: TokenCursor): Expression[] {
  if (cursor.peek(1).key !== ',' && cursor.peek(1).key !== ':' && cursor.peek(1).key !== 'VALUE') {
    cursor.accept('KEY');
  }
  const key = cursor.expression();
  cursor.expectAny('VALUE', ':', ',');
  return [key, parseValue(cursor)];
}

const parseNullRule = (cursor: TokenCursor): JsonModifiers => {
  const rule = cursor.acceptAny('NULL', 'ABSENT');
  if (rule === undefined) {
    return {};
  }
  cursor.expect('ON', 'NULL');
  return { nulls: `${rule} ON NULL` };
};

const parseReturning = (cursor: TokenCursor): JsonModifiers =>
  cursor.accept('RETURNING') ? { returning: parseTypeName(cursor) } : {};

function parseWrapper(cursor: TokenCursor): string | undefined {
  const kind = cursor.acceptAny('WITH', 'WITHOUT');
  if (kind === undefined) {
    return undefined;
  }
  const condition = kind === 'WITH' ? cursor.acceptAny('CONDITIONAL', 'UNCONDITIONAL') : undefined;
  cursor.accept('ARRAY');
  cursor.expect('WRAPPER');
  return [kind, condition, 'ARRAY WRAPPER'].filter((word) => word !== undefined).join(' ');
}

function parseBehaviours(cursor: TokenCursor): JsonModifiers {
  let found: JsonModifiers = {};
  for (
    let behaviour = parseBehaviour(cursor);
    behaviour !== undefined;
    behaviour = parseBehaviour(cursor)
  ) {
    cursor.expect('ON');
    found = {
      ...found,
      [cursor.expectAny('EMPTY', 'ERROR') === 'EMPTY' ? 'onEmpty' : 'onError']: behaviour,
    };
  }
  return found;
}

function parseBehaviour(cursor: TokenCursor): JsonBehaviour | undefined {
  if (cursor.accept('DEFAULT')) {
    return { default: cursor.expression() };
  }
  if (cursor.accept('EMPTY')) {
    return `EMPTY ${cursor.expectAny('ARRAY', 'OBJECT')}`;
  }
  return cursor.acceptAny('NULL', 'ERROR');
}
