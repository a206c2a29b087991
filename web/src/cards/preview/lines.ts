/** A line diff of two texts. Pure. */

export interface DiffLine {
  kind: 'same' | 'old' | 'new';
  text: string;
  oldNumber: number | null;
  newNumber: number | null;
}

/** Beyond this many pairs of lines the middle is shown as all old, then all new. */
const MOST_PAIRS = 1_000_000;

export function diffLines(before: string | undefined, after: string | undefined): DiffLine[] {
  const old = split(before);
  const fresh = split(after);
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  ) {
    tail += 1;
  }
  const middle = between(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  const kinds: [DiffLine['kind'], string][] = [
    ...old.slice(0, head).map((text) => ['same', text] as [DiffLine['kind'], string]),
    ...middle,
    ...old.slice(old.length - tail).map((text) => ['same', text] as [DiffLine['kind'], string]),
  ];
  return numbered(kinds);
}

function split(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The longest common subsequence, by dynamic programming. */
function between(old: string[], fresh: string[]): [DiffLine['kind'], string][] {
  const all = (kind: DiffLine['kind'], lines: string[]) => lines.map((text) => [kind, text] as [DiffLine['kind'], string]);
  if (old.length * fresh.length > MOST_PAIRS) return [...all('old', old), ...all('new', fresh)];
  const width = fresh.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        old[i] === fresh[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
    }
  }
  const lines: [DiffLine['kind'], string][] = [];
  let i = 0;
  let j = 0;
  while (i < old.length && j < fresh.length) {
    if (old[i] === fresh[j]) {
      lines.push(['same', old[i]!]);
      i += 1;
      j += 1;
    } else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) {
      lines.push(['old', old[i++]!]);
    } else {
      lines.push(['new', fresh[j++]!]);
    }
  }
  return [...lines, ...all('old', old.slice(i)), ...all('new', fresh.slice(j))];
}

/** The header of a hunk, in a preview that the server shortened. */
const HEAD = /^@@ -(\d+),\d+ \+(\d+),\d+ @@$/;

function numbered(lines: [DiffLine['kind'], string][]): DiffLine[] {
  let oldNumber = 0;
  let newNumber = 0;
  return lines.map(([kind, text]) => {
    const head = kind === 'same' ? HEAD.exec(text) : null;
    if (head) {
      oldNumber = Number(head[1]) - 1;
      newNumber = Number(head[2]) - 1;
      return { kind, text, oldNumber: null, newNumber: null };
    }
    return {
      kind,
      text,
      oldNumber: kind === 'new' ? null : ++oldNumber,
      newNumber: kind === 'old' ? null : ++newNumber,
    };
  });
}

/** Lines around changes, and how many are left out between them. */
export function hunks(lines: readonly DiffLine[], around = 3): (DiffLine | { skipped: number })[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some((line) => line.kind !== 'same'),
  );
  const shown: (DiffLine | { skipped: number })[] = [];
  lines.forEach((line, at) => {
    const last = shown.at(-1);
    if (near[at]) shown.push(line);
    else if (last && 'skipped' in last) last.skipped += 1;
    else shown.push({ skipped: 1 });
  });
  return shown;
}
