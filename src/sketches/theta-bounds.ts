// Confidence bounds of theta sketches (Apache DataSketches: BinomialBoundsN, EquivTables): the
// likely number of values, given a number of samples with probability theta each.
import { inflateSync } from 'node:zlib';

type Deviations = 1 | 2 | 3;

/** The smallest number of values that is likely within 1, 2 or 3 standard deviations. */
export function lowerBound(samples: number, theta: number, deviations: Deviations): number {
  return Math.min(samples / theta, Math.max(samples, approximateLower(samples, theta, deviations)));
}

/** The largest number of values that is likely within 1, 2 or 3 standard deviations. */
export function upperBound(samples: number, theta: number, deviations: Deviations): number {
  return Math.max(samples / theta, approximateUpper(samples, theta, deviations));
}

// The probability of a value more than 1, 2 or 3 standard deviations below the mean.
const tails: Readonly<Record<Deviations, number>> = {
  1: 0.1586553191586026,
  2: 0.02275026189041357,
  3: 0.0013498126861731796,
};

function approximateLower(samples: number, theta: number, deviations: Deviations): number {
  if (theta === 1) return samples;
  if (samples === 0) return 0;
  if (samples === 1) return Math.floor(Math.log(1 - tails[deviations]) / Math.log(1 - theta));
  if (samples > mostInTable) return classic(samples, theta, deviations, -1) - 0.5;
  if (theta > 1 - 1e-5) return samples;
  if (theta < samples / 360)
    return classic(samples, theta, equivalent(samples, deviations, 'lower'), -1) - 0.5;
  return valuesUntil(samples, theta, (total) => total > tails[deviations]) - 1;
}

function approximateUpper(samples: number, theta: number, deviations: Deviations): number {
  if (theta === 1) return samples;
  if (samples === 0) return Math.ceil(Math.log(tails[deviations]) / Math.log(1 - theta));
  if (samples > mostInTable) return classic(samples, theta, deviations, 1) + 0.5;
  if (theta > 1 - 1e-5) return samples + 1;
  if (theta < samples / 360)
    return classic(samples, theta, equivalent(samples, deviations, 'upper'), 1) + 0.5;
  return valuesUntil(samples + 1, theta, (total) => total >= 1 - tails[deviations]);
}

// The normal approximation with a correction of half a sample.
function classic(samples: number, theta: number, deviations: number, side: -1 | 1): number {
  const mean = (samples + side * 0.5) / theta;
  const spread = deviations * Math.sqrt((1 - theta) / theta);
  return (
    mean + 0.5 * (spread * spread) + side * (0.5 * spread * Math.sqrt(spread * spread + 4 * mean))
  );
}

// The number of values at which the summed probabilities reach a limit. Callers keep it below 500.
function valuesUntil(
  samples: number,
  theta: number,
  isReached: (total: number) => boolean,
): number {
  let term = theta ** samples;
  let total = term;
  let values = samples;
  for (; !isReached(total); values++) {
    term = (term * (1 - theta) * values) / (values + 1 - samples);
    total += term;
  }
  return values;
}

const mostInTable = 120;

let tables: Float64Array | undefined;

// The standard deviations of the normal approximation that best match the binomial distribution.
function equivalent(samples: number, deviations: Deviations, bound: 'lower' | 'upper'): number {
  tables ??= readTables();
  return (
    tables[(bound === 'upper' ? tables.length / 2 : 0) + 3 * samples + deviations - 1] ?? deviations
  );
}

// Doubles stored by byte position: the lowest bytes of all of them first, then the next ones.
function readTables(): Float64Array {
  const bytes = inflateSync(Buffer.from(packed, 'base64'));
  const numbers = new Uint8Array(bytes.length);
  const count = bytes.length / 8;
  for (let at = 0; at < bytes.length; at++)
    numbers[(at % count) * 8 + Math.floor(at / count)] = bytes[at] ?? 0;
  return new Float64Array(numbers.buffer);
}

const packed =
  'eNrtUnc4lf/fv81sisgeUVkZyY4je2UUKgrZxBcZyeggJZvsoqQIZVZSxjGSzLL3rqwc86z7PvyOc+j5PuOv57qe7z/P77pe132/P+/P6z1er/sGAACAIQC4HYBAADBCLADA4AAABxAwAEEIEAAxC8BhRAIBsL0E4YpA23sSqwhkOGKPvEcjFhECApPQAAYj5oE9PozYkPDcpxGPhLaEGCA2hxMLAdJc4nuvmlSC+I8ATtyN1AQO2z+SmHBifp9DvIIRd9gnkAYBREVEDmkZ4EAXaWEYsRYgaSRW7S1JMgTYKyTlSYMAEpm4/EGLPezJJ/lDlAMnKgLgfwtICuH7EuAkafB9Dim5bwVi/0P8MRlOGnfgGOkI37f+oAP8gE8y8w+NOGs/Dz+ISZ7ADxaAH5QD+5KBv0/5kwEOViWNIyn6cwv/T7cAcLD8H6MOrAAOvgjwZzHEfnqfebDnvmSSycDBiL+3BUht6QLWSzZnvRrUSzpdX/GF/lb6xumhd2hYvsU280UycoA9+Z2BznMaXN+EDZvslAzuHDhlYeem7WrQ+azYlv5SWlSGvH5d3ivFKPH7zmOfXb8oqN8cWywOoK35XPHVG4Odj17m0XE6pO4PV6zKTW3Oo71Tbu14Qz5n3DRFbwU9Xz/NX3HtvDbt+pUnySgTlS9oAe+RQqHDTu2GJ8pRIz44VnW+245fg9feGN8GzPhOgYnflIxkNDbj4901+DsvPut8NMim53fx1ZmbEVR03Tbii30DfHG+k8ctMwVodX5IMFSqeVNra2/cixlMfKPgIz/R1jWQluBgtLwq4fhl8dpCv2dS09OAamVDec3Sz8K1+TxvjUauasZL3AyxqHerd3Kop/rOZldTVAim96QzHdusRkWzansd706LMtOQ0bl/o6kO9f2CrWckjvnSbifesXQc7ZepOSCeJyqwYp8jubSKbUBKdN7nnj+XaQUsfyZYzVKsGYtRv6fcQ3/kStVvHu8PXYWc+KDG2WzOKdvy11zcaFfQ/4GeGMf8gkCPXodT7QDY7X5bJJOM5+1MX82HvoV4cZt2mvkXnLuDL+If6j//5fE4sKDNG9Nv0deP7dD93p8bLqfeOv3xWR1wfLGm2bi6pjZXIX6tJLs4h+A6tfjpSlVu65Ij5mpmCyPrMGmPTEp2F50cXgapafGhh59OeAdrhZSiqrmG0d8yqTTVdpJpslPHewV2YF7p8hrxo8tVYoXlk5sxbWn2wda5QuwDUIEK/Lhxeq1O0fuJzI7d1KiBrVFUujAiU9GGM8e0ccGGZ90RpjE6ntthOplV9mOW21w2Vs6japWjt2q2S37NXrnO0T1Vr/qMwkZVgoYwom2c+ZL8jxMaw+Yt6xkujYmFrtPmaRweG6XqbmWswY/L8yNUH2GiX12WKM21o9xmnb2GeP1rXv5mg7eHmdHCV32UtZzNGPPqtN0i1wmC1Qpb2rgo9VC++I17wdLvFByNkfbOt49/ceXQq7r9nrL+6cNWrdJs+TCFguZ39bX8DVbSGs8HM1XGRTtHcYGKxVLUrHOhusYRbE0Nlv3Pwi239BqmuJ2ByfS2pNLn/Ul3FY9XGOgNRi2mk11PfiqC4Kw86uHtP4hgrwr5UcQFI7vD+DWpw8fGuJx9QZIcd6ypaMUQSjNg1HoZrZY+aCpWPcs6q5Po4ZvxoVNGjD4r21ZQLF4G6ZFPLoRWbhH19BxRxf/cCu2Ni9pwxR4N9eIlN45Tcbj/tkZS6u4pTznzT+HfL7N4Sgdlfyw0opWrrwyYTUmPrfPhSLHKFjub8vVhTtGhn3MdfqojcbXzTIprJvZDMZOCje1tkxEuNOcEyLibkfYCTaMX/bt6ghJ3bpT5paGEMuSKP9K0Vn8KKBtOHKFEDpXCaGyELh7193KKX9/i1lBF8f6VE9g1ttYSk/6e2/miuuiTzlJ10QGm0L2/mkvZaYz/pwiH/laBfpSNwiCHQTh78ZiSS4560Zkb5pcf8pIvZn3kuVSPVjTyIC8TPPpo6cIHA6HArCqZkLth/MyPnm1I7mpHRMeXtzvPqJQ/LDtNhvvW7YJGzdJ5I9rP57FcPY6Vvk6+qrBZVdOQP9NGTSeye8uTL8pz+DzdO51F2+fk1QUFiHk9g/daLPJXe4d119Pdfkg3zbybpdCY0TCCRjZS786rNc8JX/d8PXknFd4Que2YYNynMUsrVajkjw8MRYwzQyGauVUKrlsKpxjYdpUrbpU9c/O6PnQ2hYaOky6tVe+XBvbF1osmbdNo81SrJ+TNuVfNgNueEe3XdazTNm3MeeLq7K5elqXW11JrMuH66DbifUHb47VMjUbf1enELFfHlo2zfZfEbOZlzHxb8FeUeL3n3zmyasTAdLHaioWCp9G0Ym0Cu7rtc83TqTlpsIK7rpNngopvo3jY2X4WiDbGHFvQJHcwOuxFsNr7m925e9YTuwFTFhmdYfDqkoBy+yyB9BlXodOf3KNbh/kqSz9MX4gq4alzcdI5THZaC/VWKPJ4NiJWWTqpjzVwitOvLzDi6hmVkLSHzQ3fzS8noXX1NeBP744Vjyy7Gy1eeJ82NiRqc03nxdh835Cx1Fd6POfPayJjcppHDzcsck524ybsh1CX1a7e51buL2uExbBOhVr2ZxWbn5J4UoAjq5WYVB/LFON+9pjcpycv9jj9HQaTHs4wofUXLKbf1MkZLZecqbCLeKmc7Zy4omuIwSwNtfvsBQ56Q0ETj7nHGl4YsgVJe1AmZdXc8mcZHYzpynhjkkrpVMzP+iHNOhfQUt/tCZEnUzEcs19y6EdkhcDDz0/xMabdar8e7oAybObtG8nkThI/MURo/yGmV/eX0zEmHRzgUl//UcFQWqmoNnvQXHZofvi1s4tF18d+pjIJHiEb5IZT8K5+tThtllUBh7PAKZWgz7UVc90Eqx9MzRS+fFrtVHq2gMbYNL0xQDVHYXJsZyTEnSGHt0LKXcR2Ork+10jfPxxD1d2UZOHlBXDOCbA6Jma9LLGymI5/b/eV3qF79v6tAP6MQUtKDlfhsFr5Umb20OA+xxQp22Ac1dZYlm3tbifj4hGyTzVlJfzOfTe2wYTWJTckf/7D48NJup5mXY1vWo5M+0T3Vqk0uUu8jjOO2ooNuViMcAnD9X2+oymsa2Bgeqf/McxC67xV9PyNHylbjE3BBt9v+QoqL3PrNtEsOaolJuACWV7QxAYnmxUZL9zNlLF+zavZXflAcc5BvB8989jv0U9xH6zE274n4Rk1R2qfP6IKFH9vfygs3ICaRvAaWAiLp7foceBBTz1jzJjheUV7VZp5yAT9irN6uVq3RK6FugTkVTuyiN9J2qE4YlPwUui+jPf4ouXJ3jkf5Omyy3rdHDqpVyTSKNjN9bmP8Mi9hEcKv2D0DVrEiPKdef6e90cXweoJ/2Y0HfM9NH+1ZatbgpA0VDslddk6mCb7KcM72ulLRzVnisae7zK0RRv6jzY3FbA3vlYJr3dhqELf9LxZ8P16Y/vtRh2/YoVjYYmyMK2sTWOxjLxWaSXzOuYPML75T/Ytkv16mbcc8cp01iek38p30TgPXq7SyedlW3quLKlW6bkRUFwbOZ/dzxPraJYgFZl/5u2Xm7PgEJOar1KCkv2K+EMLndKOB31GK6hhPw4vPkWmX1bV3f7u31NE1ksXxNurQufvL+BtPdhhFKdPVWiz37Kh1/elkn1AJfmYXrmM3ar5ZNSgavOCJTPO34M+s58HYSi58u0cj72x6Y5N9CuPFpsgCt5onYW0uLr8gZxyoQd1vnfaPwcOcoXO3opd7c7HSjRRxS+xrHFyWZqK1CdKiQ4opwtqUfkbB3yzWpKxs810G6L2NQ0K7ty8p+8b9xWdZhCR03n4pVnBmyGNd7bTtYv3WvwkO4DR3oQ4gtV545Ln1gQpKsG/rK2HGSnRS0cU5pDD7aeoBttGxh66+aKbGAORFFex6RPzoGy1dYT/6G/BRwl1T0MMWTq6MbE6jh3vbqTz4NAhipgBoWeijehATgqETAcVk7n229zIk1W1HqmbETonvduvKIpEj1u9ve40hTA5RHnstETTReULgafrs+jYPvaYjtz1R3NHsOXfkea8Zhgq4fRtIYwtJV1P/I1nVUuUxGhiGjIOSRGqynEjWEzljSpdr0n3il00zkcJHz69nRw2m8faWv70WYOwT1ee4hg7euHeG9SyNYUhGfOLZ9xohZOarWdiTNQ6vutTG11SabT1kHZLz/SrBUMnLj/AliUfJss+bpwvm/ZadejdebY6bePPmuHd5yoGz4xPnKD4cVTkN5nW1tJ1sMefovwBbWL6YY/nHJrFfJylwstl4p9ey0QXKlzMPcedojkdqZ/vY+JgYyGodXVc1C6Nwclo2Z3sq3dVvr9DMMFqmZNC3JISux9+WO50RMaV5Kotl1Gv144qfa4u6Xys1Bs5MeiVOGpzYcL46LT63OyZD/Onkn/yeS0cvbDIKLtEdWx5B1jBLP3eGFxdaUb+qkDO5q1NJK+PRK4P+G98d93ostn8arbZqrPZrLqFkN2qO7X9kX+7mmP7HfN25SFU+S7qDQZVso4qWkIXzqNfTqLzh9F5veinnZjcL5gnTZjsOkzWB0xGFSa9FJNajH1UgE3JwyblYBOzsAlp2LgUbGwCNiYG+/ABLvoe7gEcdz8UF3UHdy8QF+mHi/DBhXvh4B64u664MGdcqAMYYgcGXwfvWIN3roBBluDtS2CgORhoCgYYg/6GoJ8+6KcL3tIGfTVBXw3QRx30Pgd6q0B/KUFeipCXPOQpB3nKQjdloJtSkIck5C4BuYtBbqKQ20nIVQRyFYZchCAXQchZAHLmg5x4ISduyJELcuSEHDkgB3aC1VVHhltyTHrQTwcVx8fcGaaSz8xVXvzR7b3wM3oRzF1mqljhb/59um9VZQapi1y7CK5fo95wObzhzb0ZJLwJl9yKPruVeG47TWv7ieH2c3NU4WXUG1tUpSO62h396S80wg/dEoRuC8N0RmC+PcD0xWKGEjGjj7CTGdiZbOx8LvZXHnbpJXblFRZZgt0oxW1V4NBvcdhqHFiD26nFAQ048kYcZQuOuhVH0wbSdYAMXSBTD8jyHTzcB7IOgEeHQPYR8NgYyDUBck+BvDMg3xwoMA8K/gSFFiDhJUhkGTrxGzq1ComuQWLrkMQmJLkFnUZBUmhIGgPJ4CBZEJLDQ2d3IPldSAGAFMkhJQpImRJSoYJUqaFzNJAaLaROB6nTQzAGvAYj/jwTXpMZr8WC1z6M1z6C12HF67Lh9Y7i9dnx+hx4g2N4Q068ERfeiBtvzIO/wIM34cWb8OFN+dcAmkVa8VUqzlUKViT5YSQ5C5KcGUnOhCQjgJEIhr+B/n8AQADd/xa0/39AsBoJUSAhyj3gCaD6r9j576D+57D7D+PQ/x3UYbB/45+D+r/xT+BfPrcsSQ==';
