// English names of time zones, in Joda's form for the pattern letter z.
import type { TimeZone } from './period.ts';

/**
 * The name of a zone at an instant: `Eastern Daylight Time`, or `EDT` if short. The name of an
 * offset zone is its offset. A zone without an abbreviation in Java is named by its id.
 */
export function zoneNameAt(zone: TimeZone, ms: number, length: 'short' | 'long'): string {
  if (zone.id === 'UTC') return length === 'long' ? 'Coordinated Universal Time' : 'UTC';
  if (zone.fixedOffsetMs !== undefined) return zone.id;
  const offset = zone.offsetMs(ms);
  const key = `${zone.id} ${offset} ${new Date(withinNames(ms)).getUTCFullYear()}`;
  const long = longNames.get(key) ?? longNameAt(zone, ms, offset);
  if (longNames.size < mostNames) longNames.set(key, long);
  if (isOffset(long)) return long.slice('GMT'.length);
  return length === 'long' ? long : (abbreviations[long] ?? zone.id);
}

// Looking up a name takes microseconds, and a query does so in each row. Within a year, the offset
// determines the name.
const longNames = new Map<string, string>();
const mostNames = 1000;
const latestNamedMs = Date.UTC(9999, 6); // Intl has no names soon after

const withinNames = (ms: number) => Math.max(-latestNamedMs, Math.min(latestNamedMs, ms));
const isOffset = (name: string) => /^GMT[+-]/.test(name);

// For the distant past there are offsets instead of names. The zone then has its current name, the
// summer one if its clock was further east than its standard time.
function longNameAt(zone: TimeZone, ms: number, offset: number): string {
  const name = nameAt(zone.id, withinNames(ms));
  if (!isOffset(name)) return name;
  const [one, other] = seasons.map((season) => ({
    name: nameAt(zone.id, season),
    offset: zone.offsetMs(season),
  }));
  if (!one || !other) return name;
  const [standard, summer] = one.offset <= other.offset ? [one, other] : [other, one];
  return offset > standard.offset ? summer.name : standard.name;
}

const seasons = [Date.UTC(2024, 0), Date.UTC(2024, 6)];

function nameAt(timeZone: string, ms: number): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'long' }).formatToParts(
    ms,
  );
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

// Java's abbreviations, by the names in Unicode's CLDR.
const abbreviations: Readonly<Record<string, string | undefined>> = {
  'Acre Standard Time': 'ACT',
  'Afghanistan Time': 'AFT',
  'Alaska Daylight Time': 'AKDT',
  'Alaska Standard Time': 'AKST',
  'Amazon Standard Time': 'AMT',
  'Amazon Summer Time': 'AMST',
  'Anadyr Standard Time': 'ANAT',
  'Anadyr Summer Time': 'ANAST',
  'Arabian Daylight Time': 'ADT',
  'Arabian Standard Time': 'AST',
  'Argentina Standard Time': 'ART',
  'Armenia Standard Time': 'AMT',
  'Atlantic Daylight Time': 'ADT',
  'Atlantic Standard Time': 'AST',
  'Australian Central Daylight Time': 'ACDT',
  'Australian Central Standard Time': 'ACST',
  'Australian Central Western Standard Time': 'ACWST',
  'Australian Eastern Daylight Time': 'AEDT',
  'Australian Eastern Standard Time': 'AEST',
  'Australian Western Standard Time': 'AWST',
  'Azerbaijan Standard Time': 'AZT',
  'Azerbaijan Summer Time': 'AZST',
  'Azores Standard Time': 'AZOT',
  'Azores Summer Time': 'AZOST',
  'Bangladesh Standard Time': 'BDT',
  'Bhutan Time': 'BTT',
  'Bolivia Time': 'BOT',
  'Brasilia Standard Time': 'BRT',
  'Brasilia Summer Time': 'BRST',
  'British Summer Time': 'BST',
  'Cape Verde Standard Time': 'CVT',
  'Central Africa Time': 'CAT',
  'Central Daylight Time': 'CDT',
  'Central European Standard Time': 'CET',
  'Central European Summer Time': 'CEST',
  'Central Indonesia Time': 'WITA',
  'Central Standard Time': 'CST',
  'Chamorro Standard Time': 'ChST',
  'Chatham Daylight Time': 'CHADT',
  'Chatham Standard Time': 'CHAST',
  'Chile Standard Time': 'CLT',
  'Chile Summer Time': 'CLST',
  'China Standard Time': 'CST',
  'Christmas Island Time': 'CXT',
  'Chuuk Time': 'CHUT',
  'Cocos Islands Time': 'CCT',
  'Colombia Standard Time': 'COT',
  'Cook Islands Standard Time': 'CKT',
  'Cuba Daylight Time': 'CDT',
  'Cuba Standard Time': 'CST',
  'Davis Time': 'DAVT',
  'East Africa Time': 'EAT',
  'East Greenland Standard Time': 'EGT',
  'East Greenland Summer Time': 'EGST',
  'East Kazakhstan Time': 'ALMT',
  'Easter Island Standard Time': 'EAST',
  'Easter Island Summer Time': 'EASST',
  'Eastern Daylight Time': 'EDT',
  'Eastern European Standard Time': 'EET',
  'Eastern European Summer Time': 'EEST',
  'Eastern Indonesia Time': 'WIT',
  'Eastern Standard Time': 'EST',
  'Ecuador Time': 'ECT',
  'Falkland Islands Standard Time': 'FKT',
  'Falkland Islands Summer Time': 'FKST',
  'Fernando de Noronha Standard Time': 'FNT',
  'Fiji Standard Time': 'FJT',
  'Fiji Summer Time': 'FJST',
  'French Guiana Time': 'GFT',
  'French Southern & Antarctic Time': 'TFT',
  'Galapagos Time': 'GALT',
  'Gambier Time': 'GAMT',
  'Georgia Standard Time': 'GET',
  'Gilbert Islands Time': 'GILT',
  'Greenwich Mean Time': 'GMT',
  'Gulf Standard Time': 'GST',
  'Guyana Time': 'GYT',
  'Hawaii-Aleutian Daylight Time': 'HADT',
  'Hawaii-Aleutian Standard Time': 'HAST',
  'Hong Kong Standard Time': 'HKT',
  'India Standard Time': 'IST',
  'Indian Ocean Time': 'IOT',
  'Indochina Time': 'ICT',
  'Iran Daylight Time': 'IRDT',
  'Iran Standard Time': 'IRST',
  'Irish Standard Time': 'IST',
  'Irkutsk Standard Time': 'IRKT',
  'Irkutsk Summer Time': 'IRKST',
  'Israel Daylight Time': 'IDT',
  'Israel Standard Time': 'IST',
  'Japan Standard Time': 'JST',
  'Korean Standard Time': 'KST',
  'Kosrae Time': 'KOST',
  'Krasnoyarsk Standard Time': 'KRAT',
  'Krasnoyarsk Summer Time': 'KRAST',
  'Kyrgyzstan Time': 'KGT',
  'Line Islands Time': 'LINT',
  'Lord Howe Daylight Time': 'LHDT',
  'Lord Howe Standard Time': 'LHST',
  'Magadan Standard Time': 'MAGT',
  'Magadan Summer Time': 'MAGST',
  'Malaysia Time': 'MYT',
  'Maldives Time': 'MVT',
  'Marquesas Time': 'MART',
  'Marshall Islands Time': 'MHT',
  'Mauritius Standard Time': 'MUT',
  'Mawson Time': 'MAWT',
  'Mexican Pacific Daylight Time': 'MDT',
  'Mexican Pacific Standard Time': 'MST',
  'Moscow Standard Time': 'MSK',
  'Moscow Summer Time': 'MSD',
  'Mountain Daylight Time': 'MDT',
  'Mountain Standard Time': 'MST',
  'Myanmar Time': 'MMT',
  'Nauru Time': 'NRT',
  'Nepal Time': 'NPT',
  'New Caledonia Standard Time': 'NCT',
  'New Zealand Daylight Time': 'NZDT',
  'New Zealand Standard Time': 'NZST',
  'Newfoundland Daylight Time': 'NDT',
  'Newfoundland Standard Time': 'NST',
  'Niue Time': 'NUT',
  'Norfolk Island Daylight Time': 'NFST',
  'Norfolk Island Standard Time': 'NFT',
  'Novosibirsk Standard Time': 'NOVT',
  'Novosibirsk Summer Time': 'NOVST',
  'Omsk Standard Time': 'OMST',
  'Omsk Summer Time': 'OMSST',
  'Pacific Daylight Time': 'PDT',
  'Pacific Standard Time': 'PST',
  'Pakistan Standard Time': 'PKT',
  'Palau Time': 'PWT',
  'Papua New Guinea Time': 'PGT',
  'Paraguay Standard Time': 'PYT',
  'Paraguay Summer Time': 'PYST',
  'Peru Standard Time': 'PET',
  'Philippine Standard Time': 'PST',
  'Phoenix Islands Time': 'PHOT',
  'Pitcairn Time': 'PST',
  'Rothera Time': 'ROTT',
  'Réunion Time': 'RET',
  'Sakhalin Standard Time': 'SAKT',
  'Sakhalin Summer Time': 'SAKST',
  'Samara Standard Time': 'SAMT',
  'Samoa Daylight Time': 'SDT',
  'Samoa Standard Time': 'SST',
  'Seychelles Time': 'SCT',
  'Singapore Standard Time': 'SGT',
  'Solomon Islands Time': 'SBT',
  'South Africa Standard Time': 'SAST',
  'South Georgia Time': 'GST',
  'St. Pierre & Miquelon Daylight Time': 'PMDT',
  'St. Pierre & Miquelon Standard Time': 'PMST',
  'Suriname Time': 'SRT',
  'Syowa Time': 'SYOT',
  'Tahiti Time': 'TAHT',
  'Tajikistan Time': 'TJT',
  'Tokelau Time': 'TKT',
  'Tonga Standard Time': 'TOT',
  'Turkmenistan Standard Time': 'TMT',
  'Tuvalu Time': 'TVT',
  'Ulaanbaatar Standard Time': 'CHOT',
  'Ulaanbaatar Summer Time': 'CHOST',
  'Uruguay Standard Time': 'UYT',
  'Uruguay Summer Time': 'UYST',
  'Uzbekistan Standard Time': 'UZT',
  'Vanuatu Standard Time': 'VUT',
  'Vanuatu Summer Time': 'VUST',
  'Venezuela Time': 'VET',
  'Vladivostok Standard Time': 'VLAT',
  'Vladivostok Summer Time': 'VLAST',
  'Volgograd Standard Time': 'MSK',
  'Volgograd Summer Time': 'MSD',
  'Vostok Time': 'VOST',
  'Wake Island Time': 'WAKT',
  'Wallis & Futuna Time': 'WFT',
  'West Greenland Standard Time': 'WGT',
  'West Greenland Summer Time': 'WGST',
  'West Kazakhstan Time': 'AQTT',
  'Western European Standard Time': 'WET',
  'Western European Summer Time': 'WEST',
  'Western Indonesia Time': 'WIB',
  'Yakutsk Standard Time': 'YAKT',
  'Yakutsk Summer Time': 'YAKST',
  'Yekaterinburg Standard Time': 'YEKT',
};
