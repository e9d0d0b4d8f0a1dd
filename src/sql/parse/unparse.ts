// Expressions printed as in Calcite's messages: names in backquotes, words in capitals, and only
// necessary parentheses.
import { quotedText } from '../../model/sql-text.ts';
import type {
  Binary,
  Bound,
  Call,
  Expression,
  Literal,
  OrderItem,
  TypeName,
  Window,
} from '../ast.ts';

/** The text of an expression. Inner queries are shortened to `(SELECT ...)`. */
export function unparse(expression: Expression): string {
  return unparseWithPrecedence(expression).text;
}

interface Written {
  readonly text: string;
  readonly strength: number; // precedence of its outermost operator
}

const STRENGTH = {
  OR: 22,
  AND: 24,
  NOT: 26,
  IS: 28,
  COMPARISON: 30,
  IN: 32,
  PLUS: 40,
  TIMES: 60,
  SIGN: 80,
  ATOM: 100,
} as const;

const strengthOf = (operator: Binary['operator']): number => {
  switch (operator) {
    case 'OR':
    case 'AND':
      return STRENGTH[operator];
    case '+':
    case '-':
    case 'IS DISTINCT FROM':
    case 'IS NOT DISTINCT FROM':
      return STRENGTH.PLUS;
    case '*':
    case '/':
    case '%':
    case '||':
      return STRENGTH.TIMES;
    default:
      return STRENGTH.COMPARISON;
  }
};

const atom = (text: string): Written => ({ text, strength: STRENGTH.ATOM });

// The operand of an operator, in parentheses if its precedence is lower.
const operand = (expression: Expression, least: number): string => {
  const { text, strength } = unparseWithPrecedence(expression);
  return strength < least ? `(${text})` : text;
};

const unparseList = (expressions: readonly Expression[]): string =>
  expressions.map(unparse).join(', ');

const unparseNames = (names: readonly string[]): string =>
  names.map((name) => `\`${name.replaceAll('`', '``')}\``).join('.');

const QUERY = '(SELECT ...)';

function unparseWithPrecedence(expression: Expression): Written {
  switch (expression.kind) {
    case 'literal':
      return atom(literal(expression));
    case 'interval': {
      const { text, negative, from, to } = expression;
      return atom(
        `INTERVAL ${negative ? '-' : ''}'${text}' ${to === undefined ? from : `${from} TO ${to}`}`,
      );
    }
    case 'identifier':
      return atom(unparseNames(expression.names));
    case 'star':
      return atom(
        expression.qualifier.length === 0 ? '*' : `${unparseNames(expression.qualifier)}.*`,
      );
    case 'parameter':
      return atom('?');
    case 'unary':
      return expression.operator === 'NOT'
        ? { text: `NOT ${operand(expression.operand, STRENGTH.NOT)}`, strength: STRENGTH.NOT }
        : { text: `${expression.operator}${sign(expression.operand)}`, strength: STRENGTH.SIGN };
    case 'binary':
      return unparseBinary(expression);
    case 'between':
      return unparseBetween(expression);
    case 'in': {
      const { among, negated } = expression;
      const list = 'kind' in among ? QUERY : `(${unparseList(among)})`;
      return {
        text: `${operand(expression.operand, STRENGTH.IN)} ${negated ? 'NOT IN' : 'IN'} ${list}`,
        strength: STRENGTH.IN,
      };
    }
    case 'like':
      return unparseLike(expression);
    case 'is':
      return {
        text: `${operand(expression.operand, STRENGTH.IS)} IS ${expression.negated ? 'NOT ' : ''}${expression.what}`,
        strength: STRENGTH.IS,
      };
    case 'case':
      return unparseCase(expression);
    case 'cast':
      return atom(
        `${expression.safe ? 'TRY_CAST' : 'CAST'}(${unparse(expression.operand)} AS ${typeName(expression.type)})`,
      );
    case 'call':
      return atom(call(expression));
    case 'array':
      return atom(`ARRAY[${unparseList(expression.items)}]`);
    case 'row':
      return atom(`ROW(${unparseList(expression.items)})`);
    case 'item':
      return atom(`${operand(expression.operand, STRENGTH.ATOM)}[${unparse(expression.index)}]`);
    case 'subquery':
      return atom(QUERY);
    case 'exists':
      return atom(`EXISTS ${QUERY}`);
    case 'quantified': {
      const { operator, quantifier, among } = expression;
      const list = 'kind' in among ? QUERY : `(${unparseList(among)})`;
      return {
        text: `${operand(expression.operand, STRENGTH.COMPARISON)} ${operator} ${quantifier} ${list}`,
        strength: STRENGTH.COMPARISON,
      };
    }
  }
}

type ExpressionOf<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

function unparseBinary(expression: ExpressionOf<'binary'>): Written {
  const { operator, left, right } = expression;
  const strength = strengthOf(operator);
  // Associative operators are printed without parentheses.
  const free = operator === 'AND' || operator === 'OR' || operator === '||';
  return {
    text: `${operand(left, strength)} ${operator} ${operand(right, free ? strength : strength + 1)}`,
    strength,
  };
}

function unparseBetween(expression: ExpressionOf<'between'>): Written {
  const { negated, symmetric, low, high } = expression;
  const words = `${negated ? 'NOT ' : ''}BETWEEN ${symmetric ? 'SYMMETRIC' : 'ASYMMETRIC'}`;
  const bounds = `${operand(low, STRENGTH.IN + 1)} AND ${operand(high, STRENGTH.IN + 1)}`;
  return {
    text: `${operand(expression.operand, STRENGTH.IN)} ${words} ${bounds}`,
    strength: STRENGTH.IN,
  };
}

function unparseLike(expression: ExpressionOf<'like'>): Written {
  const { negated, operator, pattern, escape: mark } = expression;
  const escaping = mark === undefined ? '' : ` ESCAPE ${operand(mark, STRENGTH.IN)}`;
  const text = `${operand(expression.operand, STRENGTH.IN + 1)} ${negated ? 'NOT ' : ''}${operator} ${operand(pattern, STRENGTH.IN)}${escaping}`;
  return { text, strength: STRENGTH.IN };
}

function unparseCase(expression: ExpressionOf<'case'>): Written {
  const { operand: compared, whens, otherwise } = expression;
  const condition = (when: Expression) =>
    compared === undefined
      ? unparse(when)
      : `${operand(compared, STRENGTH.COMPARISON)} = ${operand(when, STRENGTH.IN)}`;
  const branches = whens.map(({ when, then }) => `WHEN ${condition(when)} THEN ${unparse(then)}`);
  return atom(
    `CASE ${branches.join(' ')} ELSE ${otherwise === undefined ? 'NULL' : unparse(otherwise)} END`,
  );
}

function literal({ type, text }: Literal): string {
  switch (type) {
    case 'string':
      return quotedText(text);
    case 'timestamp':
    case 'date':
    case 'time':
      return `${type.toUpperCase()} ${quotedText(text)}`;
    case 'double':
      return text.toUpperCase();
    default:
      return text;
  }
}

// A number directly follows its sign, and two signs never form a comment.
const sign = (expression: Expression): string => {
  const text = operand(expression, STRENGTH.SIGN);
  return expression.kind === 'literal' ? text : ` ${text}`;
};

function typeName({ name, precision, scale, array, native }: TypeName): string {
  const lengths = [precision, scale].filter((length) => length !== undefined);
  const plain = native
    ? `TYPE(${quotedText(name)})`
    : `${name}${lengths.length === 0 ? '' : `(${lengths.join(', ')})`}`;
  return array ? `${plain} ARRAY` : plain;
}

function call(of: Call): string {
  const { name, filter, withinGroup, nulls, over } = of;
  const parts = [
    of.bare === true && of.args.length === 0 ? name : `${name}(${parameters(of)})`,
    withinGroup === undefined ? '' : `WITHIN GROUP (ORDER BY ${order(withinGroup)})`,
    nulls === undefined ? '' : `${nulls} NULLS`,
    filter === undefined ? '' : `FILTER (WHERE ${unparse(filter)})`,
    over === undefined
      ? ''
      : `OVER ${over.kind === 'identifier' ? unparseNames(over.names) : window(over)}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function parameters({ name, args, argumentNames, unit, trim, distinct, orderBy }: Call): string {
  const shown = args.map((arg, index) => {
    const argument = argumentNames?.[index];
    return argument === undefined ? unparse(arg) : `${unparseNames([argument])} => ${unparse(arg)}`;
  });
  const list = shown.join(', ');
  if (unit !== undefined) {
    return name === 'EXTRACT'
      ? `${unit} FROM ${list}`
      : name.startsWith('TIMESTAMP')
        ? `${unit}, ${list}`
        : name === 'MINUS DATE'
          ? `${list}, INTERVAL ${unit}`
          : `${list} TO ${unit}`;
  }
  if (name === 'TRIM') {
    return `${trim ?? 'BOTH'} ${shown[1] ?? "' '"} FROM ${shown[0] ?? ''}`;
  }
  return `${distinct === true ? 'DISTINCT ' : ''}${list}${orderBy === undefined ? '' : ` ORDER BY ${order(orderBy)}`}`;
}

const order = (items: readonly OrderItem[]): string =>
  items
    .map(({ expression, descending, nulls }) =>
      [unparse(expression), descending ? 'DESC' : '', nulls === undefined ? '' : `NULLS ${nulls}`]
        .filter((part) => part !== '')
        .join(' '),
    )
    .join(', ');

function window({ base, partitionBy, orderBy, frame }: Window): string {
  const range =
    frame === undefined
      ? ''
      : frame.end === undefined
        ? unparseBound(frame.start)
        : `BETWEEN ${unparseBound(frame.start)} AND ${unparseBound(frame.end)}`;
  const parts = [
    base === undefined ? '' : unparseNames(base.names),
    partitionBy.length === 0 ? '' : `PARTITION BY ${unparseList(partitionBy)}`,
    orderBy.length === 0 ? '' : `ORDER BY ${order(orderBy)}`,
    frame === undefined ? '' : `${frame.unit} ${range}`,
    frame?.exclude === undefined ? '' : `EXCLUDE ${frame.exclude}`,
  ];
  return `(${parts.filter((part) => part !== '').join(' ')})`;
}

function unparseBound(of: Bound): string {
  switch (of.kind) {
    case 'current':
      return 'CURRENT ROW';
    case 'unbounded':
      return `UNBOUNDED ${of.direction}`;
    case 'offset':
      return `${unparse(of.offset)} ${of.direction}`;
  }
}
