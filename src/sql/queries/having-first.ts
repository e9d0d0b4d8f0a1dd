// Order of the refusals of HAVING and SELECT.
import type { Expression } from '../ast.ts';
import { walk } from '../expressions/rewrite.ts';
import { isPlainAggregate } from '../functions/call-kinds.ts';
import type { GroupedRows } from '../resolution/group.ts';
import type { QueryScope } from '../resolution/scope.ts';

/** The items of SELECT. Calcite checks HAVING before them, so that its refusals come first. */
export function afterHaving<T>(resolve: () => T, having: () => void): T {
  try {
    return resolve();
  } catch (error) {
    having();
    throw error;
  }
}

/** Refuses columns of HAVING that are not grouped, before its functions and types are known. */
export function refuseUngroupedIn(
  condition: Expression,
  groups: GroupedRows,
  scope: QueryScope,
): void {
  walk(condition, (part) => {
    if (isPlainAggregate(part)) return false;
    if (part.kind === 'identifier') scope.column(part.names, part.at);
    groups.refuseUngrouped();
    return true;
  });
}
