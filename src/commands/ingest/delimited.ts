// Delimited text: fields in double quotes may hold delimiters, line breaks and doubled quotes
// (RFC 4180, with any delimiter).

/** The records of a text, without empty lines. */
export function* recordsIn(text: string, delimiter: string): Iterable<readonly string[]> {
  let fields: string[] = [];
  let field = '';
  let isQuoted = false;
  let isBegun = false; // something stands on this line
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (isQuoted) {
      if (letter !== '"') field += letter;
      else if (text[at + 1] === '"') field += text[++at];
      else isQuoted = false;
    } else if (letter === '"' && field === '') {
      isQuoted = true;
      isBegun = true;
    } else if (letter === delimiter) {
      fields.push(field);
      field = '';
      isBegun = true;
    } else if (letter === '\n' || (letter === '\r' && text[at + 1] === '\n')) {
      if (letter === '\r') at++;
      if (isBegun || field !== '') yield [...fields, field];
      fields = [];
      field = '';
      isBegun = false;
    } else field += letter;
  }
  if (isBegun || field !== '') yield [...fields, field];
}

/** The fields of one record. */
export function fieldsIn(record: string, delimiter: string): readonly string[] {
  if (!record.includes('"')) return record.split(delimiter);
  const [fields = []] = recordsIn(record, delimiter);
  return fields;
}

/** Whether a quoted field continues after a line. `isOpen`: one has begun on an earlier line. */
export function isQuoteOpen(line: string, delimiter: string, isOpen: boolean): boolean {
  if (!line.includes('"')) return isOpen;
  let isQuoted = isOpen;
  let isEmpty = true; // the field has no letter yet
  for (let at = 0; at < line.length; at++) {
    const letter = line[at];
    if (isQuoted) {
      if (letter !== '"') isEmpty = false;
      else if (line[at + 1] === '"') {
        at++;
        isEmpty = false;
      } else isQuoted = false;
    } else if (letter === '"' && isEmpty) isQuoted = true;
    else isEmpty = letter === delimiter;
  }
  return isQuoted;
}

/** A record as a line of CSV. */
export const csvLine = (fields: readonly string[]): string =>
  `${fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')}\n`;

/** The delimiter that the first records have in common; a comma when none has one. */
export function delimiterIn(lines: readonly string[]): string {
  const counted = [',', ';', '\t', '|'].map((delimiter) => {
    const records = [...recordsIn(lines.slice(0, 20).join('\n'), delimiter)];
    if (lines.length > 20) records.pop(); // it may be cut
    const counts = records.map((fields) => fields.length);
    const [first = 1] = counts;
    return { delimiter, fields: counts.every((count) => count === first) ? first : 1 };
  });
  const [best] = counted.sort((one, other) => other.fields - one.fields);
  return best !== undefined && best.fields > 1 ? best.delimiter : ',';
}
