// Typed statements as analysts, dashboards and pipelines write them, from a seed; some are spoilt
// afterwards, in ways people spoil them.
import { lookup, tables } from './data.js';
import {
  aggregates,
  choices,
  conditions,
  constants,
  expressions,
  slips,
  windowCalls,
} from './forms.js';
import { list, optional, part, textOf } from './tree.js';

const kinds = [
  'text',
  'text',
  'text',
  'long',
  'long',
  'long',
  'double',
  'time',
  'boolean',
  'texts',
  'longs',
  'doubles',
  'json',
];

/**
 * Statements from a source of random numbers.
 * @param {() => number} random
 */
export class Generator {
  constructor(random) {
    this.random = random;
  }

  /** The next statement: its tree, and which columns of its result its ORDER BY decides. */
  next() {
    const made = this.among([
      () => this.grouped(),
      () => this.grouped(),
      () => this.grouped(),
      () => this.grouped(),
      () => this.scanned(),
      () => this.scanned(),
      () => this.constant(),
      () => this.constant(),
      () => this.nested(),
      () => this.joined(),
      () => this.joined(),
      () => this.windowed(),
      () => this.windowed(),
      () => this.united(),
      () => this.unnested(),
    ])();
    const { tree, order = [] } = made;
    return this.chance(0.14) ? { tree: this.spoilt(tree), order: [] } : { tree, order };
  }

  spoilt(tree) {
    const text = textOf(tree);
    const fitting = slips.filter(([from]) => text.includes(from));
    if (fitting.length === 0) return tree;
    const [from, to] = this.among(fitting);
    let isDone = false;
    const spoil = (one) => {
      if (isDone) return one;
      if (typeof one === 'string') {
        if (!one.includes(from)) return one;
        isDone = true;
        return one.replace(from, () => to);
      }
      return one.items
        ? { ...one, items: one.items.map(spoil) }
        : { ...one, parts: one.parts.map(spoil) };
    };
    return spoil(tree);
  }

  // SELECT without data.
  constant() {
    const scope = { columns: {} };
    const items = this.some(3, (at) => this.item(this.value(this.kind(), scope, 2), at));
    return { tree: part('statement', ['SELECT ', list(items)]) };
  }

  // SELECT ... FROM t WHERE ... LIMIT
  scanned() {
    const { scope, from } = this.table();
    const items = this.chance(0.08)
      ? [part('star', ['*'])]
      : this.some(4, (at) => this.item(this.value(this.kind(scope), scope, 2), at));
    const isSmall = from.includes('fuzz_types');
    const parts = [
      'SELECT ',
      ...(this.chance(0.08) ? ['DISTINCT '] : []),
      list(items),
      ' FROM ',
      from,
      ...this.where(scope, isSmall ? 0.4 : 1),
    ];
    if (isSmall && this.chance(0.3))
      parts.push(optional(' ORDER BY __time', this.among(['', ' DESC'])));
    if (!isSmall) parts.push(' LIMIT ', this.among(['1', '5', '20']));
    else if (this.chance(0.1)) parts.push(optional(' LIMIT 3', this.among(['', ' OFFSET 1'])));
    return { tree: part('statement', parts) };
  }

  // SELECT keys, aggregates FROM t GROUP BY keys
  grouped() {
    const { scope, from } = this.table();
    return this.groupedOver(scope, from, 0.4);
  }

  groupedOver(scope, from, whereShare) {
    const keys = this.chance(0.15) ? [] : this.some(2, () => this.key(scope));
    const values = this.some(3, () => this.aggregate(scope));
    const items = [...keys, ...values].map((one, at) => this.item(one, at));
    const order = [];
    const parts = ['SELECT ', list(items), ' FROM ', from, ...this.where(scope, whereShare)];
    if (keys.length > 0) {
      const listed = list(keys);
      if (this.chance(0.8))
        parts.push(
          ' GROUP BY ',
          this.chance(0.2) ? keys.map((_, at) => at + 1).join(', ') : listed,
        );
      else
        parts.push(
          ' GROUP BY ',
          ...this.among([
            ['ROLLUP (', listed, ')'],
            ['CUBE (', listed, ')'],
            ['GROUPING SETS (', list(keys.map((key) => part('set', ['(', key, ')']))), ', ())'],
          ]),
        );
    }
    if (this.chance(0.15)) parts.push(optional(' HAVING ', this.having(scope)));
    if (keys.length > 0 && this.chance(0.5)) {
      // All keys end the order, so that a LIMIT has one meaning.
      const first = Math.floor(this.random() * items.length);
      const columns = [first, ...keys.map((_, at) => at).filter((at) => at !== first)];
      const sorted = columns.map((at) => `c${at}${this.chance(0.4) ? ' DESC' : ''}`);
      order.push(...columns);
      parts.push(optional(' ORDER BY ', sorted.join(', ')));
      if (this.chance(0.7))
        parts.push(
          optional(
            ' LIMIT ',
            this.among(['3', '10', '100']),
            ...(this.chance(0.15) ? [' OFFSET 2'] : []),
          ),
        );
    }
    return { tree: part('statement', parts), order };
  }

  // An aggregate over a grouping, or a filter by a subquery.
  nested() {
    const { scope, from } = this.table();
    if (this.chance(0.5)) {
      const key = this.key(scope);
      const long = this.aggregateOf('long', scope);
      const inner = part('subquery', [
        '(SELECT ',
        key,
        ' AS k, ',
        long,
        ' AS v FROM ',
        from,
        ...this.where(scope, 0.4),
        ' GROUP BY ',
        key,
        ')',
      ]);
      return this.groupedOver(
        { columns: { long: ['v'] }, keys: ['v'] },
        part('from', [inner, ' AS q']),
        0.3,
      );
    }
    const inner = this.table();
    const column = this.among(scope.columns.text);
    const chosen = part('subquery', [
      '(SELECT ',
      this.among(inner.scope.columns.text),
      ' FROM ',
      inner.from,
      ...this.where(inner.scope, 1),
      ' GROUP BY 1',
      ')',
    ]);
    const count = this.item(this.aggregateOf('long', scope), 0);
    const condition = this.among([
      [column, ' IN ', chosen],
      [column, ' NOT IN ', chosen],
      [
        this.among(scope.columns.long),
        ' > (SELECT AVG(',
        this.among(inner.scope.columns.long),
        ') FROM ',
        inner.from,
        ')',
      ],
    ]);
    return {
      tree: part('statement', [
        'SELECT ',
        list([count]),
        ' FROM ',
        from,
        ' WHERE ',
        part('condition', condition),
      ]),
    };
  }

  // Joins with listed values, the lookup and subqueries.
  joined() {
    const { scope, from } = this.table();
    const qualified = Object.fromEntries(
      Object.entries(scope.columns).map(([kind, names]) => [
        kind,
        names.map((name) => `t.${name}`),
      ]),
    );
    const left = this.among(qualified.text);
    const kind = this.among(['INNER JOIN', 'INNER JOIN', 'LEFT JOIN']);
    const [right, columns, on] = this.among([
      () => [
        "(VALUES ('#en.wikipedia', 1), ('US', 2), ('a', 3), ('true', 4)) AS r (name, size)",
        { text: ['r.name'], long: ['r.size'] },
        [left, ' = r.name'],
      ],
      () => [`lookup.${lookup.name} AS r`, { text: ['r.k', 'r.v'] }, [left, ' = r.k']],
      () => {
        const other = this.table();
        const key = this.among(other.scope.columns.text);
        const long = this.aggregateOf('long', other.scope);
        const query = [
          '(SELECT ',
          key,
          ' AS k, ',
          long,
          ' AS v FROM ',
          other.from,
          ...this.where(other.scope, 0.6),
          ' GROUP BY 1',
          ') AS r',
        ];
        return [part('from', query), { text: ['r.k'], long: ['r.v'] }, [left, ' = r.k']];
      },
    ])();
    const both = { columns: { ...qualified } };
    for (const [one, names] of Object.entries(columns))
      both.columns[one] = [...(both.columns[one] ?? []), ...names, ...names];
    both.keys = [...scope.keys.map((key) => `t.${key}`), ...Object.values(columns).flat()];
    const joined = part('from', [from, ' AS t ', kind, ' ', right, ' ON ', part('condition', on)]);
    if (this.chance(0.75)) return this.groupedOver(both, joined, 0.4);
    const items = this.some(3, (at) => this.item(this.value(this.kind(both), both, 1), at));
    return {
      tree: part('statement', [
        'SELECT ',
        list(items),
        ' FROM ',
        joined,
        ' WHERE ',
        this.condition(both, 2),
        ...(from.includes('fuzz_edits') ? [" AND t.page LIKE 'W%'"] : []),
      ]),
    };
  }

  // Window functions over a grouping, or over the few rows.
  windowed() {
    const { scope, from } = this.table();
    const isGrouped = this.chance(0.7) || from.includes('fuzz_edits');
    const keys = isGrouped
      ? this.some(2, () => part('key', [this.among(scope.keys)]))
      : [part('key', [this.among(['n', 's', '__time'])])];
    const measure = isGrouped
      ? this.aggregateOf('long', scope, 1)
      : part('long', [this.among(['n', 'm', 'd'])]);
    const partition = this.chance(0.6) ? ['PARTITION BY ', this.among(keys)] : [];
    const sorted = this.chance(0.8)
      ? [
          partition.length > 0 ? ' ORDER BY ' : 'ORDER BY ',
          list([measure, ...keys], this.among([', ', ' DESC, '])),
        ]
      : [];
    const frame =
      sorted.length > 0 && this.chance(0.3)
        ? [
            this.among([
              ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
              ' ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING',
              ' ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING',
              ' RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
              ' ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
              ' ROWS 2 PRECEDING',
            ]),
          ]
        : [];
    const calls = this.some(2, () => {
      const [before, name, after] = this.among(windowCalls).split(/[{}]/);
      const inner =
        name === undefined
          ? []
          : [name === 'number' || this.chance(0.5) ? measure : keys[0], after];
      return part('window', [
        before,
        ...inner,
        ' OVER (',
        optional(...partition),
        optional(...sorted, ...frame),
        ')',
      ]);
    });
    const items = [...keys, measure, ...calls].map((one, at) => this.item(one, at));
    const parts = ['SELECT ', list(items), ' FROM ', from, ...this.where(scope, 0.4)];
    if (isGrouped) parts.push(' GROUP BY ', list(keys));
    return { tree: part('statement', parts) };
  }

  united() {
    const kindsOfItems = this.some(2, () => this.among(['text', 'long', 'double']));
    const arms = this.some(
      2,
      () => {
        const { scope, from } = this.table();
        const items = kindsOfItems.map((kind, at) => this.item(this.value(kind, scope, 1), at));
        const keys = this.chance(0.5)
          ? [' GROUP BY ', items.map((_, at) => at + 1).join(', ')]
          : [];
        return part('arm', [
          'SELECT ',
          list(items, ', ', items.length),
          ' FROM ',
          from,
          ...this.where(scope, 1),
          ...(keys.length > 0 ? keys : [' LIMIT 5']),
        ]);
      },
      2,
    );
    const isWhole = this.chance(0.5);
    if (isWhole)
      return {
        tree: part('statement', [
          list(
            arms.map((arm) => part('arm', arm.parts.slice(0, -2))),
            ' UNION ALL ',
          ),
        ]),
      };
    const bracketed = list(
      arms.map((arm) => part('arm', ['(', arm, ')'])),
      ' UNION ALL ',
    );
    return {
      tree: part('statement', ['SELECT c0, COUNT(*) AS c FROM (', bracketed, ') AS u GROUP BY 1']),
    };
  }

  unnested() {
    const { scope, from } = this.table('fuzz_types');
    const [array, kind] = this.among([
      [() => this.value('texts', scope, 1), 'text'],
      [() => part('texts', ['words']), 'text'],
      [() => part('texts', ['MV_TO_ARRAY(mv)']), 'text'],
      [() => part('longs', ['nums']), 'long'],
      [() => part('doubles', ['reals']), 'double'],
      [() => this.value('longs', scope, 1), 'long'],
    ]);
    const both = {
      columns: { ...scope.columns, [kind]: [...scope.columns[kind], 'u.x', 'u.x', 'u.x'] },
      keys: [...scope.keys, 'u.x', 'u.x', 'u.x'],
    };
    const source = part('from', [from, ' CROSS JOIN UNNEST(', array(), ') AS u (x)']);
    if (this.chance(0.6)) return this.groupedOver(both, source, 0.4);
    const items = this.some(3, (at) => this.item(this.value(this.kind(both), both, 1), at));
    return {
      tree: part('statement', ['SELECT ', list(items), ' FROM ', source, ...this.where(both, 0.4)]),
    };
  }

  table(wanted) {
    const table = wanted ? tables.find(({ name }) => name === wanted) : this.among(tables);
    return { scope: table, from: table.name };
  }

  where(scope, share) {
    return this.chance(share) ? [optional(' WHERE ', this.condition(scope, 2))] : [];
  }

  having(scope) {
    const condition = this.among([
      ['COUNT(*) > ', this.among(['0', '1', '5'])],
      [this.aggregateOf('long', scope), ' > ', this.among(choices.number)],
      [this.aggregateOf('long', scope), ' * 1.0 / COUNT(*) > 1'],
      [this.aggregateOf('double', scope), ' IS NOT NULL'],
    ]);
    return part('condition', condition);
  }

  item(one, at) {
    return part('item', [one, ` AS c${at}`]);
  }

  key(scope) {
    if (this.chance(0.5)) return part('key', [this.among(scope.keys)]);
    const kind = this.among(['text', 'text', 'long', 'time', 'double', 'boolean', 'texts']);
    if (kind === 'time' && scope.columns.time)
      return this.made('time', this.among(expressions.time.slice(0, 10)), scope, 0);
    return this.value(kind === 'time' ? 'text' : kind, scope, 1);
  }

  aggregate(scope) {
    const kind = this.among(['long', 'long', 'long', 'double', 'time', 'text', 'texts']);
    return this.aggregateOf(kind, scope);
  }

  aggregateOf(kind, scope, depth) {
    const made = this.made(
      kind,
      this.among(aggregates[kind]),
      scope,
      depth ?? (this.chance(0.6) ? 0 : 1),
    );
    return part(`aggregate ${kind}`, made.parts);
  }

  kind(scope) {
    const kind = this.among(kinds);
    return scope === undefined || scope.columns[kind] || this.chance(0.3) ? kind : 'text';
  }

  value(kind, scope, depth) {
    const columns = scope.columns[kind];
    if (depth <= 0 || this.chance(0.25)) {
      if (columns && this.chance(0.92)) return part(kind, [this.among(columns)]);
      return part(kind, [this.chance(0.05) ? 'NULL' : this.among(constants[kind])]);
    }
    return this.made(kind, this.among(expressions[kind]), scope, depth - 1);
  }

  condition(scope, depth) {
    return this.made(
      'condition',
      this.among(depth > 0 ? conditions : conditions.slice(0, 20)),
      scope,
      depth - 1,
    );
  }

  made(kind, form, scope, depth) {
    const parts = form.split(/[{}]/).map((piece, at) => {
      if (at % 2 === 0) return piece;
      const [name, only] = piece.split(':');
      if (name === 'column')
        return part(only, [this.among(scope.columns[only] ?? constants[only])]);
      if (only === 'literal') return part(name, [this.among(constants[name])]);
      if (name === 'condition') return this.condition(scope, depth);
      if (choices[name]) return part(`choice ${name}`, [this.among(choices[name])]);
      if (name === 'mv' && scope.columns.text?.includes('mv') && this.chance(0.7))
        return part('text', ['mv']);
      return this.value(name, scope, depth);
    });
    return part(kind, parts);
  }

  some(most, make, least = 1) {
    return Array.from({ length: least + Math.floor(this.random() * (most - least + 1)) }, (_, at) =>
      make(at),
    );
  }

  among(items) {
    return items[Math.floor(this.random() * items.length)];
  }

  chance(share) {
    return this.random() < share;
  }
}
