// Confirmation of dangerous rule changes: rules that drop segments from the servers, and the
// removal of all default rules.
import type { Context } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { formatBytes } from '../../cli/lists/columns.ts';
import { metadata } from '../../contract/metadata.ts';
import { type RetentionRuleBody, rules } from '../../contract/rules.ts';
import { isDrop, isLoaded } from '../../model/retention-rule.ts';
import type { Impact } from '../shared/configuration/touched.ts';
import { countOfSegments } from '../shared/segments/segment-selection.ts';
import { shareInWords } from '../shared/segments/share-of-cluster.ts';

/**
 * Asks for confirmation when the new rules of a datasource, or of `_default`, would drop segments
 * now.
 */
export async function confirmRules(
  context: Context,
  name: string,
  body: readonly RetentionRuleBody[],
): Promise<void> {
  const { confirm, dryRun } = context;
  const back = 'svcctl undo takes it back';
  if (name === '_default' && body.length === 0)
    return confirm({
      level: 'destroy',
      what: 'Without default rules, nothing more is loaded or dropped',
      name,
      back,
    });
  const impact = await findImpact(context, name, body, dryRun);
  if (dryRun && impact) context.out.note(`Effect: ${impactInWords(impact)}.`);
  const dropped = impact?.all.dropped;
  if (dryRun || !dropped?.segments) return;
  const whose =
    name === '_default' ? 'the new default rules' : `the new rules of datasource [${name}]`;
  await confirm({
    level: 'change',
    what: `With ${whose}, the servers drop ${countOfSegments(dropped.segments)}, ${formatBytes(dropped.bytes)}`,
    name,
    back,
  });
}

// Undefined without permission to read segments; such users may still change rules.
async function findImpact(
  { call }: Context,
  name: string,
  body: readonly RetentionRuleBody[],
  isWhole: boolean, // also of rules that drop nothing
): Promise<Impact | undefined> {
  const before = await ifKnown(call(rules.list));
  if (!before) return;
  const all = [...body, ...(before._default ?? [])];
  if (!isWhole && all.every((rule) => !isDrop(rule) && isLoaded(rule))) return;
  const used = await ifKnown(
    call(metadata.segments, { query: name === '_default' ? {} : { datasources: [name] } }),
  );
  if (!used) return;
  const { impactOf } = await import('../shared/configuration/touched.ts');
  const change = {
    area: 'rules',
    name,
    kind: 'changed',
    before: '',
    differences: [],
    document: body,
  } as const;
  const live = new Map([['rules', new Map(Object.entries(before))]]);
  return impactOf([change], live, used, Date.now());
}

function impactInWords({ all, cluster }: Impact): string {
  const kinds = (['dropped', 'loaded', 'moved'] as const).flatMap((kind) => {
    const { segments, bytes } = all[kind];
    return segments === 0
      ? []
      : `${countOfSegments(segments)} ${kind}, ${formatBytes(Number(bytes))} (${shareInWords(segments, cluster.segments)})`;
  });
  const whole = `${countOfSegments(cluster.segments)}, ${formatBytes(Number(cluster.bytes))}`;
  return `of ${whole}: ${kinds.length > 0 ? kinds.join('; ') : 'no segment is dropped, loaded or moved'}`;
}
