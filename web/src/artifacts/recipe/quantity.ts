/** Quantities as a cook says them: scaled, rounded, and with ½ instead of 0.5. Pure. */

const FRACTIONS: [number, string][] = [
  [1 / 8, '⅛'],
  [1 / 4, '¼'],
  [1 / 3, '⅓'],
  [3 / 8, '⅜'],
  [1 / 2, '½'],
  [5 / 8, '⅝'],
  [2 / 3, '⅔'],
  [3 / 4, '¾'],
  [7 / 8, '⅞'],
];

/** Small units, which are shown without fractions. */
const SMALL = /^(g|gr|gramas?|grams?|ml|millilit\w*|mililitros?)$/i;
/** Large units, which are shown with decimals. */
const LARGE = /^(kg|quilos?|kilos?|l|lit\w*|dl|cl|oz|lbs?)$/i;

/** A number, or text such as "1 1/2" or "½". */
export function parseQuantity(quantity: unknown): number | null {
  if (typeof quantity === 'number') return Number.isFinite(quantity) ? quantity : null;
  if (typeof quantity !== 'string') return null;
  const text = quantity.trim().replace(',', '.');
  const parts = /^(?:(\d+(?:\.\d+)?)(?![\d/])\s*)?(?:(\d+)\s*\/\s*(\d+)|([⅛¼⅓⅜½⅝⅔¾⅞]))?$/u.exec(text);
  if (!parts || text === '') return null;
  const [, whole, over, under, sign] = parts;
  const fraction = sign ? (FRACTIONS.find(([, one]) => one === sign)?.[0] ?? 0) : over && under ? Number(over) / Number(under) : 0;
  return Number(whole ?? 0) + fraction;
}

/** A quantity times a factor; text that is no number stays as it is. */
export function scaled(quantity: unknown, factor: number, unit: string | null, decimal: (value: number) => string): string {
  const number = parseQuantity(quantity);
  if (number === null) return typeof quantity === 'string' ? quantity : '';
  return shown(number * factor, unit ?? '', factor === 1, decimal);
}

/** Only a scaled quantity is rounded; the written one is shown as it is. */
function shown(value: number, unit: string, written: boolean, decimal: (value: number) => string): string {
  if (SMALL.test(unit)) return decimal(written ? value : roundSmall(value));
  const exact = asFraction(value, 0.02, decimal);
  if (exact !== null) return exact;
  if (written || LARGE.test(unit)) return decimal(roundTo(value, value < 1 || written ? 2 : 1));
  if (value >= 10) return decimal(Math.round(value));
  return asFraction(value, 1, decimal) ?? decimal(roundTo(value, 2));
}

/** "1½", if a fraction is near enough; never rounded to nothing. */
function asFraction(value: number, near: number, decimal: (value: number) => string): string | null {
  const whole = Math.floor(value + 1e-9);
  const rest = Math.max(0, value - whole);
  const all: [number, string][] = [[0, ''], ...FRACTIONS, [1, '']];
  const [amount, sign] = all.reduce((best, one) => (Math.abs(one[0] - rest) < Math.abs(best[0] - rest) ? one : best));
  if (Math.abs(amount - rest) > near || (whole === 0 && amount === 0 && value > 0)) return null;
  if (amount === 0 || amount === 1) return decimal(whole + amount);
  return whole === 0 ? sign : `${decimal(whole)}${sign}`;
}

/** 237 g is 235 g, 4 g stays 4 g. */
function roundSmall(value: number): number {
  if (value >= 1000) return Math.round(value / 50) * 50;
  if (value >= 100) return Math.round(value / 5) * 5;
  return value >= 10 ? Math.round(value) : roundTo(value, 1);
}

function roundTo(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
