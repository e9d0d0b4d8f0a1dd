// Datasource argument, the only argument of most datasource verbs.
import { datasourceNames } from '../../cli/completion/completers.ts';
import { required, text } from '../../contract/schema.ts';

export const dataSource = { dataSource: required(text, 'Name of the datasource') };
export const completers = { dataSource: datasourceNames };
export const hints = { notFound: 'svcctl datasources list shows the served datasources' };
