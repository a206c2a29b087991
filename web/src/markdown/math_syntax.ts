/**
 * Formulas as syntax of markdown: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`.
 *
 * They are found while markdown is parsed, so that nothing inside is read as emphasis or as an escape. A dollar is
 * also money: `$…$` is a formula only where that is clear (`isFormula`). What does not end, or does not end in its
 * paragraph, stays text.
 */

import type { Extension as FromMarkdown, Token } from 'mdast-util-from-markdown';
import type { Code, Construct, Effects, Extension as Syntax, State, TokenizeContext } from 'micromark-util-types';
import type { Processor } from 'unified';

import { formulaOf } from './lines';

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    formulaText: 'formulaText';
    formulaFlow: 'formulaFlow';
    formulaData: 'formulaData';
  }
}

const DOLLAR = 36;
const BACKSLASH = 92;

/** Longer formulas stay text. */
const LONGEST = 8_000;

/** The class of formulas in the tree; `math-display` beside it for those that stand alone. */
export const FORMULA = 'math-formula';
export const DISPLAYED = 'math-display';

/** The plugin for remark. */
export const remarkFormulas = function (this: Processor): void {
  const data = this.data() as { micromarkExtensions?: Syntax[]; fromMarkdownExtensions?: FromMarkdown[] };
  (data.micromarkExtensions ??= []).push(SYNTAX);
  (data.fromMarkdownExtensions ??= []).push(TREE);
};

const inline: Construct = { name: 'formulaText', tokenize: tokenizeInline };
const flow: Construct = { name: 'formulaFlow', tokenize: tokenizeFlow, concrete: true };

const SYNTAX: Syntax = {
  text: { [DOLLAR]: inline, [BACKSLASH]: inline },
  flow: { [DOLLAR]: flow, [BACKSLASH]: flow },
};

const isEnd = (code: Code) => code === null || code < -2;

/** A formula in a sentence. It may reach over lines of its paragraph. */
function tokenizeInline(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  const before = this.previous;
  let opening = '';
  let closing = '';
  let text = '';
  return start;

  function start(code: Code): State | undefined {
    effects.enter('formulaText');
    effects.enter('formulaData');
    return open(code);
  }

  function open(code: Code): State | undefined {
    if (opening === '' || (opening === '$' && code === DOLLAR)) {
      opening += String.fromCharCode(code ?? 0);
      effects.consume(code);
      return open;
    }
    if (opening === '\\') {
      if (code !== 40 && code !== 91) return nok(code);
      closing = code === 40 ? '\\)' : '\\]';
      opening += String.fromCharCode(code);
      effects.consume(code);
      return inside;
    }
    closing = opening;
    // `US$ 5` and `a$b` are no beginning.
    return opening === '$' && (isWord(before) || before === DOLLAR) ? nok(code) : inside(code);
  }

  function inside(code: Code): State | undefined {
    if (code === null || text.length > LONGEST) return nok(code);
    if (isEnd(code)) {
      effects.exit('formulaData');
      effects.enter('lineEnding');
      effects.consume(code);
      effects.exit('lineEnding');
      effects.enter('formulaData');
      text += '\n';
      return inside;
    }
    // The same beginning once more: the first one was none.
    if (opening.startsWith('\\') && text.endsWith('\\') && !text.endsWith('\\\\') && String.fromCharCode(code) === opening[1]) return nok(code);
    text += code < 0 ? ' ' : String.fromCharCode(code);
    effects.consume(code);
    return endsWith(text, closing) ? closed : inside;
  }

  function closed(code: Code): State | undefined {
    const formula = text.slice(0, -closing.length);
    const clear = closing === '$' ? code !== DOLLAR && !isWord(code) && isFormula(formula) : isNoEscape(formula, closing);
    if (!clear) return nok(code);
    effects.exit('formulaData');
    effects.exit('formulaText');
    return ok(code);
  }
}

/** Whether a formula ends with its end mark, and the mark is not escaped. */
function endsWith(text: string, mark: string): boolean {
  if (!text.endsWith(mark)) return false;
  const slashes = /\\*$/.exec(text.slice(0, -mark.length))?.[0].length ?? 0;
  return slashes % 2 === 0;
}

function isWord(code: Code): boolean {
  return code !== null && code > 0 && /[\p{L}\p{N}\\]/u.test(String.fromCharCode(code));
}

/**
 * Whether what stands between two dollars is a formula, and not the text between two prices. A formula does not begin
 * or end with a space, and a sentence is none unless it has marks of TeX.
 */
export function isFormula(text: string): boolean {
  if (text === '' || /^\s|\s$/.test(text) || text.includes('\n\n')) return false;
  if (/[\\^_{}]/.test(text)) return true;
  const sentence = /(?:^|[^\p{L}])\p{L}{2,}[,;.]?\s+(?:\p{L}{2,}|\p{L}\s+\p{L}{2,})/u.test(text);
  if (sentence) return false;
  // A price that is followed by words and another price: `5/month, or $`.
  return !/^\d[\d.,]*(?:\s*[-–/]\s*)?(?:\s*\p{L}{3,}|\s+\p{L}{2,})/u.test(text);
}

/** `\\(` and `\\[` are also how brackets are written that mean nothing: around a word, or around a number. */
function isNoEscape(text: string, closing: string): boolean {
  const inner = text.trim();
  if (closing === '\\)') return inner !== '' && isFormula(inner) && !/^\p{Ll}{4,}$/u.test(inner);
  return closing === '\\]' ? /[\\^_{}=<>+*/|()-]/.test(inner) : inner !== '';
}

/** A formula that begins a line, with lines of its own. It ends with its mark, or unfinished where the block ends. */
function tokenizeFlow(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  // oxlint-disable-next-line typescript/no-this-alias -- a tokenizer reads its context in its states
  const self = this;
  let line = '';
  let end = '';
  return start;

  function start(code: Code): State | undefined {
    effects.enter('formulaFlow');
    effects.enter('formulaData');
    return first(code);
  }

  function first(code: Code): State | undefined {
    if (!isEnd(code)) return consume(code, first);
    const formula = formulaOf(line);
    if (formula === null) return nok(code);
    effects.exit('formulaData');
    if (self.interrupt === true || formula.closed) return done(code);
    ({ end } = formula);
    return afterLine(code);
  }

  function afterLine(code: Code): State | undefined {
    if (code === null) return done(code);
    return effects.check({ tokenize: tokenizeNext, partial: true }, nextLine, done)(code);
  }

  function nextLine(code: Code): State | undefined {
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    line = '';
    effects.enter('formulaData');
    return more;
  }

  function more(code: Code): State | undefined {
    if (!isEnd(code)) return consume(code, more);
    effects.exit('formulaData');
    return line.includes(end) ? done(code) : afterLine(code);
  }

  function consume(code: Code, next: State): State {
    line += code === null || code < 0 ? ' ' : String.fromCharCode(code);
    effects.consume(code);
    return next;
  }

  function done(code: Code): State | undefined {
    effects.exit('formulaFlow');
    return ok(code);
  }
}

/** Whether another line belongs to it: not a blank one, and none outside of the list or quote that it is in. */
function tokenizeNext(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  // oxlint-disable-next-line typescript/no-this-alias -- as above
  const self = this;
  return (code) => {
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    return after;
  };

  function after(code: Code): State | undefined {
    if (code === -2 || code === -1 || code === 32) {
      effects.enter('whitespace');
      return space(code);
    }
    return check(code);
  }

  function space(code: Code): State | undefined {
    if (code === -2 || code === -1 || code === 32) {
      effects.consume(code);
      return space;
    }
    effects.exit('whitespace');
    return check(code);
  }

  function check(code: Code): State | undefined {
    return isEnd(code) || self.parser.lazy[self.now().line] ? nok(code) : ok(code);
  }
}

const TREE: FromMarkdown = {
  enter: { formulaText: enterFormula, formulaFlow: enterFormula },
  exit: {
    formulaText(token) {
      exitFormula(this, token, this.resume());
    },
    formulaFlow(token) {
      exitFormula(this, token, this.resume());
    },
    formulaData(token) {
      this.config.enter['data']?.call(this, token);
      this.config.exit['data']?.call(this, token);
    },
  },
};

type Context = ThisParameterType<NonNullable<NonNullable<FromMarkdown['enter']>[string]>>;

function enterFormula(this: Context, token: Token): void {
  this.enter({ type: 'inlineCode', value: '' }, token);
  this.buffer();
}

function exitFormula(context: Context, token: Token, source: string): void {
  const node = context.stack.at(-1) as unknown as { data?: object };
  const { tex, display } = formulaIn(source);
  node.data =
    tex === null
      ? { hName: 'p', hChildren: [{ type: 'text', value: source }] }
      : {
          hName: 'code',
          hProperties: { className: display ? [FORMULA, DISPLAYED] : [FORMULA] },
          hChildren: [{ type: 'text', value: tex }],
        };
  context.exit(token);
}

/** A formula without its marks; `null` if it does not end. The end of its sentence moves into it. */
export function formulaIn(source: string): { tex: string | null; display: boolean } {
  const text = source.trim();
  const mark = /^(?:\$\$?|\\[([])/.exec(text)?.[0] ?? '';
  const end = { $: '$', $$: '$$', '\\(': '\\)', '\\[': '\\]' }[mark] ?? '';
  const at = text.lastIndexOf(end);
  const display = mark === '$$' || mark === '\\[';
  const rest = text.slice(at + end.length).trim();
  if (at < mark.length || rest.length > 1) return { tex: null, display };
  return { tex: text.slice(mark.length, at).trim() + (rest === '' ? '' : `\\text{${rest}}`), display };
}
