// Configuration of a service: its properties, and the parts that follow from them alone.
import { dialectOf } from '../../model/dialect.ts';
import { accessRulesIn } from '../handlers/access-rules.ts';
import { outsideOf } from '../ingestion/outside.ts';
import { Extensions } from '../settings/extensions.ts';
import { programOf } from '../settings/modules.ts';
import { Properties } from '../settings/properties.ts';
import type { Storage } from '../storage/storage.ts';
import type { ServiceSettings } from './settings.ts';

export type Configuration = ReturnType<typeof readConfiguration>;

/** Throws CannotStart for an invalid property. */
export function readConfiguration(settings: ServiceSettings, { folder }: Storage) {
  const { service, host, engineVersion } = settings;
  const properties = new Properties(service, settings.properties, settings.propertyLines);
  properties.text('server.hiddenProperties'); // marked as read: it is read whenever properties are shown
  const extensions = new Extensions(service, properties);
  return {
    service,
    host,
    dialect: dialectOf(service),
    properties,
    extensions,
    outside: outsideOf(settings, properties, folder.path, extensions),
    access: accessRulesIn(properties),
    lacking: extensions.lackingInQueries(),
    program: programOf(service, engineVersion, extensions),
  };
}
