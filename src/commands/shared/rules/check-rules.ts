// Validation of rules before they are sent: the Coordinator would find an invalid one only in its
// next run.
import { UsageError } from '../../../cli/process/errors.ts';
import type { RetentionRuleBody } from '../../../contract/rules.ts';
import { rules } from '../../../contract/rules.ts';
import { check, Mismatch } from '../../../contract/schema.ts';
import { parseInterval } from '../../../model/interval.ts';
import { parsePeriod } from '../../../model/period.ts';

/** The rules in a document; throws a usage error with the rule's number and the field. */
export function checkRules(document: unknown): readonly RetentionRuleBody[] {
  if (!Array.isArray(document))
    throw new UsageError('The rules are not a list', 'an example: [{"type": "loadForever"}]');
  const checked = document.map((rule: unknown, at) => {
    try {
      const [whole] = check(rules.set.body, [rule]);
      if (!whole) throw new Mismatch('', 'it is missing', rule);
      checkTimes(whole);
      return whole;
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      const field = error.field.replace(/^0\.?/, '');
      throw new UsageError(
        `Rule ${at + 1} of ${document.length}${field && `, field [${field}]`}: ${error.problem}`,
        'svcctl help retention explains rules',
      );
    }
  });
  const last = checked.findIndex(({ type }) => type.endsWith('Forever'));
  if (last !== -1 && last < checked.length - 1)
    throw new UsageError(
      `Rule ${last + 2} of ${checked.length} can never apply: rule ${last + 1}, [${checked[last]?.type}], applies to everything`,
      'the first matching rule applies: put the rule that matches everything last',
    );
  return checked;
}

function checkTimes(rule: RetentionRuleBody): void {
  if (rule.type.endsWith('ByPeriod')) readable('period', rule.period, parsePeriod, 'P1M');
  if (rule.type.endsWith('ByInterval'))
    readable('interval', rule.interval, parseInterval, '2024-01-01/2025-01-01');
}

function readable(
  field: string,
  text: string | undefined,
  parse: (text: string) => unknown,
  example: string,
): void {
  if (text === undefined) throw new Mismatch(field, `it is missing; an example: ${example}`, text);
  try {
    parse(text);
  } catch {
    throw new Mismatch(field, `[${text}] cannot be read; an example: ${example}`, text);
  }
}
