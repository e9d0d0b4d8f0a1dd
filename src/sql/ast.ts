// The syntax tree of the service's SQL: the written text with positions. Names are not resolved
// here.

/**
 * Lines and columns count from 1, and the end is the last character, as in the engine's messages.
 */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly parts?: readonly Position[]; // of a name with points
}

interface Node {
  readonly at: Position;
}

// ── Expressions ──────────────────────────────────────────────────────────────────────────────────

export type Expression =
  | Literal
  | IntervalLiteral
  | Identifier
  | Star
  | Parameter
  | Unary
  | Binary
  | Between
  | In
  | Like
  | Is
  | Case
  | Cast
  | Call
  | ArrayLiteral
  | Row
  | Item
  | Subquery
  | Exists
  | Quantified;

/** An exact number keeps its digits: `1` is an integer, `1.5` a decimal, `1e3` a double. */
export interface Literal extends Node {
  readonly kind: 'literal';
  readonly type:
    | 'string'
    | 'integer'
    | 'decimal'
    | 'double'
    | 'boolean'
    | 'null'
    | 'timestamp'
    | 'date'
    | 'time';
  readonly text: string; // without quotes, escapes resolved; or 'TRUE', 'FALSE', 'NULL'
}

/** `INTERVAL '1-2' YEAR TO MONTH`, `INTERVAL '1' DAY`. */
export interface IntervalLiteral extends Node {
  readonly kind: 'interval';
  readonly text: string;
  readonly negative: boolean;
  readonly from: TimeUnit;
  readonly to?: TimeUnit;
}

// Upper case: YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND DOW DOY EPOCH ISODOW
// ISOYEAR CENTURY DECADE MILLENNIUM ...
export type TimeUnit = string;

/** `a`, `t.a`, `"druid"."t"."a"`. */
export interface Identifier extends Node {
  readonly kind: 'identifier';
  readonly names: readonly string[];
  readonly quoted: readonly boolean[];
}

/** `*` or `t.*`, in a select list or as the argument of COUNT. */
export interface Star extends Node {
  readonly kind: 'star';
  readonly qualifier: readonly string[];
  readonly qualifierAt?: Position;
}

/** The `index`-th `?` of the statement, from 0. */
export interface Parameter extends Node {
  readonly kind: 'parameter';
  readonly index: number;
}

export interface Unary extends Node {
  readonly kind: 'unary';
  readonly operator: '+' | '-' | 'NOT';
  readonly operand: Expression;
  readonly isOfFilter?: true; // of a native filter: NOT never becomes the opposite comparison
}

export interface Binary extends Node {
  readonly kind: 'binary';
  readonly operator:
    | 'AND'
    | 'OR'
    | '='
    | '<>'
    | '<'
    | '<='
    | '>'
    | '>='
    | '+'
    | '-'
    | '*'
    | '/'
    | '%'
    | '||'
    | 'IS DISTINCT FROM'
    | 'IS NOT DISTINCT FROM';
  // A condition on the values of a row, each by itself, which is not merged with other conditions;
  // never written by users
  readonly isOfItems?: true;
  // Of native filters: several values of a row may meet them one by one
  readonly isOfFilter?: true;
  readonly reads?: ComparedAs;
  readonly left: Expression;
  readonly right: Expression;
}

/**
 * The value that a filter compares, where it is another one than outside of filters: the only value
 * of a number that is computed from several values, the stored form of the text of a FLOAT, or each
 * of the values that a function made. Never written by users.
 */
export type ComparedAs = 'row' | 'stored' | 'values';

export interface Between extends Node {
  readonly kind: 'between';
  readonly reads?: ComparedAs;
  readonly operand: Expression;
  readonly low: Expression;
  readonly high: Expression;
  readonly negated: boolean;
  readonly symmetric: boolean;
  readonly isLowOpen?: true; // without the bound itself; only generated, for several values
  readonly isHighOpen?: true;
}

export interface In extends Node {
  readonly kind: 'in';
  readonly reads?: ComparedAs;
  readonly operand: Expression;
  readonly among: readonly Expression[] | Query;
  readonly listAt?: Position; // of a written list
  readonly negated: boolean;
}

export interface Like extends Node {
  readonly kind: 'like';
  readonly reads?: ComparedAs;
  readonly operator: 'LIKE' | 'SIMILAR TO';
  readonly operand: Expression;
  readonly pattern: Expression;
  readonly escape?: Expression;
  readonly negated: boolean;
}

export interface Is extends Node {
  readonly kind: 'is';
  readonly reads?: ComparedAs;
  readonly operand: Expression;
  readonly what: 'NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN' | 'JSON';
  // False unless this lookup has one of the values; never written by users
  readonly whereLookup?: { readonly name: string; readonly values: readonly string[] };
  readonly negated: boolean;
}

/** `CASE operand WHEN ...` has an operand; `CASE WHEN ...` has none. */
export interface Case extends Node {
  readonly kind: 'case';
  readonly operand?: Expression;
  readonly whens: readonly { readonly when: Expression; readonly then: Expression }[];
  readonly otherwise?: Expression;
  // Of a filter: holds if it holds for one of the items of its multi-value column
  readonly isOfItems?: true;
}

export interface Cast extends Node {
  readonly kind: 'cast';
  // A CAST of the statement, which converts less than native expressions and mixed types do
  readonly isWritten?: true;
  readonly operand: Expression;
  readonly type: TypeName;
  readonly safe: boolean; // TRY_CAST, SAFE_CAST
}

/** `VARCHAR(10)`, `DECIMAL(10, 2)`, `BIGINT ARRAY`, `TYPE('COMPLEX<json>')`. */
export interface TypeName extends Node {
  readonly name: string; // upper case; the text of TYPE('...') as written
  readonly precision?: number;
  readonly scale?: number;
  readonly array: boolean;
  readonly native: boolean; // written as TYPE('...')
}

/**
 * Any function, aggregate or special form. Special syntax becomes arguments and modifiers.
 * `EXTRACT(unit FROM x)`, `FLOOR(x TO unit)` and `TIMESTAMPADD(unit, n, x)` have `unit`. `TRIM(BOTH
 * c FROM x)` has `trim` and the arguments [x, c?]. `POSITION(a IN b FROM n)` has the arguments [a,
 * b, n?], `SUBSTRING(x FROM a FOR b)` [x, a, b?], `OVERLAY(x PLACING y FROM a FOR b)` [x, y, a,
 * b?]. `JSON_VALUE(x, path RETURNING type ...)` has `json`. `JSON_OBJECT(KEY k VALUE v, ...)` has
 * the arguments [k, v, ...]. `CURRENT_TIMESTAMP` and `PI` without parentheses have `bare`; `a => b`
 * has `argumentNames`.
 */
export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string; // upper case
  readonly nameAt: Position;
  readonly plainAt?: Position; // without FILTER, OVER and the like, if it has them
  readonly args: readonly Expression[];
  readonly bare?: true;
  readonly word?: string; // `pi` as written, without parentheses
  readonly distinct?: boolean;
  readonly quantifierAt?: Position; // of DISTINCT or ALL
  readonly unit?: TimeUnit;
  readonly unitAt?: Position;
  readonly trim?: 'BOTH' | 'LEADING' | 'TRAILING';
  readonly json?: JsonModifiers;
  readonly argumentNames?: readonly (string | undefined)[];
  readonly orderBy?: readonly OrderItem[]; // ARRAY_AGG(x ORDER BY y)
  readonly withinGroup?: readonly OrderItem[];
  readonly filter?: Expression;
  readonly nulls?: 'IGNORE' | 'RESPECT';
  readonly over?: Window | Identifier;
}

export interface JsonModifiers {
  readonly returning?: TypeName;
  readonly onEmpty?: JsonBehaviour;
  readonly onError?: JsonBehaviour;
  readonly wrapper?: string;
  readonly nulls?: 'NULL ON NULL' | 'ABSENT ON NULL';
}
export type JsonBehaviour =
  | 'NULL'
  | 'ERROR'
  | 'EMPTY ARRAY'
  | 'EMPTY OBJECT'
  | { readonly default: Expression };

export interface ArrayLiteral extends Node {
  readonly kind: 'array';
  readonly items: readonly Expression[];
}

/** `(a, b)` or `ROW(a, b)`. */
export interface Row extends Node {
  readonly kind: 'row';
  readonly items: readonly Expression[];
}

/** `a[1]`. */
export interface Item extends Node {
  readonly kind: 'item';
  readonly operand: Expression;
  readonly index: Expression;
}

export interface Subquery extends Node {
  readonly kind: 'subquery';
  readonly query: Query;
}

export interface Exists extends Node {
  readonly kind: 'exists';
  readonly query: Query;
}

/** `x = ANY (query)`, `x > ALL (query)`. */
export interface Quantified extends Node {
  readonly kind: 'quantified';
  readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=';
  readonly quantifier: 'ANY' | 'SOME' | 'ALL';
  readonly operand: Expression;
  readonly among: readonly Expression[] | Query;
}

export interface Window extends Node {
  readonly kind: 'window';
  readonly base?: Identifier; // OVER (w ORDER BY ...)
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly frame?: Frame;
}

export interface Frame extends Node {
  readonly unit: 'ROWS' | 'RANGE';
  readonly start: Bound;
  readonly end?: Bound; // absent: CURRENT ROW, no BETWEEN was written
  readonly exclude?: 'CURRENT ROW' | 'GROUP' | 'TIES' | 'NO OTHERS';
}

export type Bound =
  | {
      readonly kind: 'unbounded';
      readonly direction: 'PRECEDING' | 'FOLLOWING';
      readonly at: Position;
    }
  | { readonly kind: 'current'; readonly at: Position }
  | {
      readonly kind: 'offset';
      readonly direction: 'PRECEDING' | 'FOLLOWING';
      readonly offset: Expression;
      readonly at: Position;
    };

// ── Queries ──────────────────────────────────────────────────────────────────────────────────────

/** A query body with WITH, order and limits. */
export interface Query extends Node {
  readonly kind: 'query';
  readonly with: readonly CommonTable[];
  readonly recursive?: true; // WITH RECURSIVE
  readonly body: QueryBody;
  readonly orderBy: readonly OrderItem[];
  readonly limit?: Expression; // LIMIT n, FETCH NEXT n ROWS; absent for LIMIT ALL
  readonly offset?: Expression;
}

export type QueryBody = Select | SetOperation | ValuesClause | Query;

export interface CommonTable extends Node {
  readonly name: string;
  readonly columns?: readonly string[];
  readonly query: Query;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly distinct: boolean;
  readonly items: readonly SelectItem[];
  readonly from?: From;
  readonly where?: Expression;
  readonly groupBy?: readonly Grouping[];
  readonly having?: Expression;
  readonly windows: readonly {
    readonly name: string;
    readonly window: Window;
    readonly at: Position;
  }[];
  readonly qualify?: Expression;
}

export interface SelectItem extends Node {
  readonly expression: Expression;
  readonly alias?: string;
}

export type Grouping =
  | { readonly kind: 'expression'; readonly expression: Expression; readonly at: Position }
  | { readonly kind: 'empty'; readonly at: Position } // ()
  | { readonly kind: 'set'; readonly items: readonly Expression[]; readonly at: Position } // (a, b) inside GROUPING SETS, ROLLUP, CUBE
  | {
      readonly kind: 'sets' | 'rollup' | 'cube';
      readonly items: readonly Grouping[];
      readonly at: Position;
    };

export interface SetOperation extends Node {
  readonly kind: 'setOperation';
  readonly operator: 'UNION' | 'INTERSECT' | 'EXCEPT';
  readonly all: boolean;
  readonly left: QueryBody;
  readonly right: QueryBody;
}

export interface ValuesClause extends Node {
  readonly kind: 'values';
  readonly rows: readonly (readonly Expression[])[];
}

export interface OrderItem extends Node {
  readonly expression: Expression;
  readonly descending: boolean;
  readonly nulls?: 'FIRST' | 'LAST';
}

export type From = TableRef | TableFunction | DerivedTable | Unnest | Join | Pivot | Unpivot;

export interface TableAlias {
  readonly name: string;
  readonly columns?: readonly string[];
}

/** A table by its name. */
export interface TableRef extends Node {
  readonly kind: 'table';
  readonly names: readonly string[];
  readonly alias?: TableAlias;
}

/**
 * `TABLE(EXTERN(...)) EXTEND (a VARCHAR, ...)`, `TABLE(INLINE(...)) (a VARCHAR)`,
 * `TABLE(APPEND('a', 'b'))`, `name(argument, ...)`.
 */
export interface TableFunction extends Node {
  readonly kind: 'tableFunction';
  readonly call: Call;
  readonly extend?: readonly ColumnDeclaration[];
  readonly alias?: TableAlias;
}

export interface ColumnDeclaration extends Node {
  readonly name: string;
  readonly type: TypeName;
  readonly notNull: boolean;
}

export interface DerivedTable extends Node {
  readonly kind: 'derived';
  readonly query: Query;
  readonly lateral: boolean;
  readonly alias?: TableAlias;
}

export interface Unnest extends Node {
  readonly kind: 'unnest';
  readonly args: readonly Expression[];
  readonly ordinality: boolean;
  readonly alias?: TableAlias;
}

/** A comma is a CROSS join with `comma`. */
export interface Join extends Node {
  readonly kind: 'join';
  readonly type: 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS';
  readonly comma: boolean;
  readonly natural: boolean;
  readonly wordAt?: Position; // of JOIN
  readonly left: From;
  readonly right: From;
  readonly on?: Expression;
  readonly using?: readonly string[];
}

export interface Pivot extends Node {
  readonly kind: 'pivot';
  readonly source: From;
  readonly aggregates: readonly SelectItem[];
  readonly axes: readonly Expression[]; // the columns after FOR
  readonly values: readonly { readonly items: readonly Expression[]; readonly alias?: string }[];
  readonly alias?: TableAlias;
}

export interface Unpivot extends Node {
  readonly kind: 'unpivot';
  readonly source: From;
  readonly includeNulls: boolean;
  readonly measures: readonly string[];
  readonly axes: readonly (Node & { readonly name: string })[];
  readonly values: readonly {
    readonly columns: readonly Identifier[];
    readonly labels?: readonly Expression[];
  }[];
  readonly alias?: TableAlias;
}

// ── Statements ───────────────────────────────────────────────────────────────────────────────────

/** Size of a statement, for the limits on planning and running. */
export interface StatementSize {
  // words, names, values and symbols of a statement, or values of a native query
  readonly nodes: number;
  readonly depth: number; // largest nesting of expressions and queries
  readonly tables: number; // tables after FROM and JOIN, or data sources of a native query
  readonly calls: number; // calls of functions, or native aggregators
  readonly groupingSets: number; // total over all GROUP BYs with several grouping sets
}

/** `SET a = 1; SET b = 'x'; SELECT ...`: the settings are added to the query's context. */
export interface StatementList {
  readonly settings: readonly {
    readonly name: string;
    readonly value: Literal;
    readonly at: Position;
  }[];
  readonly statement: Statement;
  readonly parameterCount: number;
  readonly size: StatementSize;
  readonly endsAt?: Position; // position of a semicolon after the statement
}

export type Statement = Query | Ingest | Explain;

/** INSERT INTO, REPLACE INTO, or the export `INSERT INTO EXTERN(...) AS CSV`. */
export interface Ingest extends Node {
  readonly kind: 'insert' | 'replace';
  readonly target: { readonly names: readonly string[]; readonly at: Position } | ExportTarget;
  readonly columns?: readonly Identifier[];
  readonly overwrite?: 'ALL' | Expression; // REPLACE ... OVERWRITE; absent when it was not written
  readonly query: Query;
  readonly partitionedBy?:
    | Expression
    | { readonly kind: 'all'; readonly at: Position }
    | { readonly kind: 'unit'; readonly unit: string; readonly at: Position };
  readonly clusteredBy?: readonly OrderItem[];
}

export interface ExportTarget {
  readonly kind: 'export';
  readonly destination: Call; // local(exportPath => '...')
  readonly format?: string; // upper case
  readonly at: Position;
}

export interface Explain extends Node {
  readonly kind: 'explain';
  readonly statement: Query | Ingest;
}
