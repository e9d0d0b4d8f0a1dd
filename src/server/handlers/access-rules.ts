// Permissions that properties add: on types of input sources and on keys of query contexts (Druid:
// "Authentication and authorization").
import { dataSourcesRead, inputSourceTypes } from '../../model/input-source-types.ts';
import { formatJson } from '../../model/json.ts';
import type { Resource, TranslatedStatement } from '../../sql/statement.ts';
import type { Properties } from '../settings/properties.ts';

type Context = Readonly<Record<string, unknown>>;

export interface AccessRules {
  /** What a statement needs. */
  ofStatement(statement: TranslatedStatement): readonly Resource[];
  /** What the context of a query needs that a caller has given. */
  ofContext(given: Context | null | undefined): readonly Resource[];
  /** What settings need that a statement makes with SET: `before` is its context without them. */
  ofSettings(context: Context, before: Context): readonly Resource[];
  /**
   * What a specification needs that reads an input source or a stream: of a task, a supervisor or
   * the sampler.
   */
  ofSpec(given: Context): readonly Resource[];
}

/** The rules that the properties set. Throws CannotStart for values that cannot be read. */
export function accessRulesIn(properties: Properties): AccessRules {
  const securesInput = properties.truth('auth.enableInputSourceSecurity', false);
  const securesContext = properties.truth('auth.authorizeQueryContextParams', false);
  const unsecured = new Set([
    ...alwaysAllowed,
    ...properties.texts('auth.unsecuredContextKeys', []),
  ]);
  const secured =
    properties.text('auth.securedContextKeys') === undefined
      ? undefined
      : properties.texts('auth.securedContextKeys', []);
  const ofKeys = (keys: readonly string[]): Resource[] =>
    securesContext
      ? keys
          .filter((key) => !unsecured.has(key) && (secured?.includes(key) ?? true))
          .map((name) => ({ type: 'QUERY_CONTEXT', name, action: 'WRITE' }))
      : [];
  return {
    ofStatement(statement) {
      if (!securesInput) return statement.resources;
      const types = externsOf(statement).flatMap(({ inputSource }) =>
        inputSourceTypes(inputSource),
      );
      return [...statement.resources.filter((one) => !isAnyInput(one)), ...reading(types)];
    },
    ofContext: (given) => ofKeys(Object.keys(given ?? {})),
    ofSettings: (context, before) =>
      ofKeys(Object.keys(context).filter((key) => textOf(context[key]) !== textOf(before[key]))),
    ofSpec: (given) => [
      ...readingData(inputSourceIn(given)),
      ...(securesInput ? reading(typesIn(given)) : []),
    ],
  };
}

// Keys that clients and the Router set by themselves (Druid: AuthConfig.ALLOWED_CONTEXT_KEYS).
const alwaysAllowed = ['sqlStringifyArrays', 'sqlQueryId', 'dartQueryId'];

const textOf = (value: unknown) => (value === undefined ? undefined : formatJson(value));

const reading = (types: readonly string[]): Resource[] =>
  [...new Set(types)].map((name) => ({ type: 'EXTERNAL', name, action: 'READ' as const }));

const isAnyInput = ({ type, name, action }: Resource) =>
  type === 'EXTERNAL' && name === 'EXTERNAL' && action === 'READ';

function externsOf(statement: TranslatedStatement) {
  const inner = statement.kind === 'explain' ? statement.statement : statement;
  return inner.kind === 'select' ? inner.externs : inner.query.externs;
}

// Tasks and supervisors of a stream have a type that begins with what they read from; all others
// name an input source, or read none.
function typesIn({ type, spec }: Context): readonly string[] {
  if (type === 'kafka' || type === 'index_kafka') return ['kafka'];
  return inputSourceTypes(inputSourceIn({ spec }));
}

const inputSourceIn = ({ spec }: Context): unknown =>
  memberOf(memberOf(spec, 'ioConfig'), 'inputSource');

const readingData = (source: unknown): Resource[] =>
  dataSourcesRead(source).map((name) => ({ type: 'DATASOURCE', name, action: 'READ' }));

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
