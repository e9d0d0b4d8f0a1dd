// Permissions that properties add: on types of input sources and on keys of query contexts (Druid:
// "Authentication and authorization").
import { dataSourcesRead, inputSourceTypes } from '../../model/input-source-types.ts';
import { formatJson } from '../../model/json.ts';
import type { Resource, TranslatedStatement } from '../../sql/statement.ts';
import type { Properties } from '../settings/properties.ts';

type Context = Readonly<Record<string, unknown>>;

export interface AccessRules {
  /** The permissions that a statement needs. */
  ofStatement(statement: TranslatedStatement): readonly Resource[];
  /** The permissions that a caller's query context needs. */
  ofContext(given: Context | null | undefined): readonly Resource[];
  /**
   * The permissions that the settings of a statement's SET need; `before` is its context without
   * them.
   */
  ofSettings(context: Context, before: Context): readonly Resource[];
  /**
   * The permissions that a specification needs to read an input source or a stream: for a task, a
   * supervisor or the sampler.
   */
  ofSpec(given: Context): readonly Resource[];
}

/** The rules that the properties configure. Throws CannotStart for invalid values. */
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

// Keys that clients and the Router set themselves (Druid: AuthConfig.ALLOWED_CONTEXT_KEYS).
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

// The type of stream tasks and supervisors begins with the type of the stream. All others name an
// input source, or read none.
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
