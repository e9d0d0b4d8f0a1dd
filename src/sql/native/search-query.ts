// The search condition of a search query (docs/querying/searchquery.md).
import type { Expression } from '../ast.ts';
import { callTo, joinExpressions, literalOf, truth } from './expressions.ts';
import { asText, has, kindOf, listIn, type Node, textIn, truthOr } from './members.ts';

/**
 * Whether a text matches the search query (parsed JSON).
 * Throws SqlError for a malformed or unknown search query.
 */
export const searchCondition = (value: Expression, query: Node): Expression =>
  kindOf(kinds, query, 'SearchQuerySpec')(query, value);

type Kind = (query: Node, value: Expression) => Expression;

const kinds: Readonly<Record<string, Kind>> = {
  all: () => truth('TRUE'),
  contains: (query, value) => contains(value, query, isCaseSensitive(query)),
  insensitive_contains: (query, value) => contains(value, query, false),
  fragment(query, value) {
    const fragments = new Set(listIn(query, 'values', asText));
    // Every text contains the empty one, and null contains none.
    return joinExpressions(
      'AND',
      [...(fragments.size > 0 ? fragments : [''])].map((fragment) =>
        containsText(value, fragment, isCaseSensitive(query)),
      ),
    );
  },
  regex: (query, value) => callTo('REGEXP_LIKE', value, literalOf(textIn(query, 'pattern'))),
};

// The API and its documentation spell this member differently.
const isCaseSensitive = (query: Node) => truthOr(query, 'caseSensitive', false);

// No text contains a missing value.
const contains = (value: Expression, query: Node, caseSensitive: boolean): Expression =>
  has(query, 'value') ? containsText(value, textIn(query, 'value'), caseSensitive) : truth('FALSE');

const containsText = (value: Expression, text: string, caseSensitive: boolean): Expression =>
  callTo(caseSensitive ? 'CONTAINS_STRING' : 'ICONTAINS_STRING', value, literalOf(text));
