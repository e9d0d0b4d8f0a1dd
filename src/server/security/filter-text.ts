// Names of users in search filters (RFC 4515).

/** The search filter for a user: the name replaces each `%s` of the template, escaped. */
export const filterFor = (template: string, name: string): string =>
  template.split('%s').join(escapeFilterValue(name));

/** Escapes a text as a value of a search filter. */
export const escapeFilterValue = (text: string): string =>
  text
    .replaceAll('\\', '\\5c')
    .replaceAll('*', '\\2a')
    .replaceAll('(', '\\28')
    .replaceAll(')', '\\29')
    .replaceAll('\0', '\\00');
